import { setMaxListeners } from "node:events";
import type { Command } from "commander";
import { isFault } from "../../../lib/model/fault";
import { paidMsPerHpa } from "../dashboard/live-fleet";
import type { CliEnvironment } from "../../shell/environment";
import { failure } from "../../shell/failure";
import { globalOptions } from "../../shell/global-options";
import type { Session } from "../../shell/session";
import { tableVerb } from "../../shell/table-verb";
import { topLines, topText, type TopView } from "./draw";
import { readTop, type TopFleet } from "./read-rows";
import { openScreen, type ScreenKey } from "./screen";

interface TopOptions {
  readonly allNamespaces?: boolean;
}

export function topCommand(environment: CliEnvironment): Command {
  return tableVerb<TopOptions>(environment, {
    name: "top",
    summary: "Show all HPAs on one screen, live, the most urgent first.",
    description:
      "Show all HPAs on one screen, live, the most urgent first: those that fail, that will not wake, that are at " +
      "maxReplicas. Without a terminal, print them once.",
    options: (command) => command.option("-A, --all-namespaces", "HPAs in all namespaces, which is the default"),
    examples: [
      ["The whole fleet", "ebb top"],
      ["The HPAs of one namespace and cluster", "ebb top -n shop --cluster prod"],
      ["Once, for a file", "ebb top > fleet.txt"],
    ],
    async run(session, { options, command }) {
      const { namespace } = globalOptions(command);
      const isAll = options.allNamespaces === true || namespace === undefined;
      const look = async (signal: AbortSignal) =>
        await readTop(session, { clusters: await session.clusters(), ...(!isAll && { namespace }) }, signal);
      const { out, now, signal } = session;
      const fleet = await out.during("reading the table", look(signal));
      if (fleet.scope.clusters.length === 0)
        throw failure("the table has no cluster yet: register one with `ebb apply -f`");
      const isLive = out.terminal !== undefined && environment.env["TERM"] !== "dumb";
      if (isLive) await showLive({ session, environment, look }, fleet);
      else out.write(topText({ fleet, now: now(), out }));
    },
  });
}

interface Live {
  readonly session: Session;
  readonly environment: Pick<CliEnvironment, "stdin" | "stdout">;
  readonly look: (signal: AbortSignal) => Promise<TopFleet>;
}

const tickMs = 1_000;
const refreshMs = 5_000;
const slowMs = 10_000;
/** Reading 10,000 HPAs takes five seconds of CPU time: at most a fifth of a core. */
const restPerRead = 4;

async function showLive({ session, environment, look }: Live, begun: TopFleet): Promise<void> {
  const { now, pause, out, settings } = session;
  const ended = new AbortController();
  const signal = AbortSignal.any([session.signal, ended.signal]);
  // Each pause listens, for hours.
  setMaxListeners(0, signal);
  let fleet = begun;
  let problem: TopView["problem"];
  let crash: { readonly error: unknown } | undefined;
  let askedAt: number | undefined;
  let dueAt = now() + interval();
  let [first, page] = [0, 1];

  const end = () => ended.abort();

  function interval(tookMs = 0): number {
    const paid = settings.table === undefined ? 0 : fleet.rows.length * paidMsPerHpa;
    return Math.max(refreshMs, paid, tookMs * (1 + restPerRead));
  }

  function draw(): void {
    const isSlow = askedAt !== undefined && now() - askedAt >= slowMs;
    const slow = isSlow ? { message: "no answer", since: askedAt ?? 0 } : undefined;
    const shown = problem ?? slow;
    const view = { fleet, now: now(), out, ...(shown && { problem: shown }) };
    const drawn = topLines(view, screen.size(), first);
    ({ first, page } = drawn);
    screen.draw(drawn.lines);
  }

  async function refresh(): Promise<void> {
    const startedAt = (askedAt = now());
    try {
      fleet = await look(signal);
      problem = undefined;
      dueAt = startedAt + interval(now() - startedAt);
    } catch (error) {
      if (signal.aborted) return;
      if (!isFault(error)) {
        crash = { error };
        return end();
      }
      problem = { message: (error as Error).message, since: problem?.since ?? startedAt };
      dueAt = startedAt + interval();
    } finally {
      askedAt = undefined;
    }
    draw();
  }

  const moves: Readonly<Record<Exclude<ScreenKey, "end">, () => number>> = {
    ...{ up: () => first - 1, down: () => first + 1, pageUp: () => first - page, pageDown: () => first + page },
    ...{ first: () => 0, last: () => Infinity },
  };
  const screen = openScreen(environment, {
    onKey(key) {
      if (key === "end") return end();
      first = moves[key]();
      draw();
    },
    onResize: draw,
    onGone: end,
  });
  let reading: Promise<void> | undefined;
  try {
    while (!signal.aborted) {
      if (now() >= dueAt) reading ??= refresh().finally(() => (reading = undefined));
      draw();
      await pause(tickMs, signal).catch(() => undefined);
    }
  } finally {
    screen.close();
    await reading;
  }
  if (crash !== undefined) throw crash.error;
}

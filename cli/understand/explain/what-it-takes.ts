import type { Command as Verb } from "commander";
import { ebb } from "../../../lib/model/advice";
import { isFault } from "../../../lib/model/fault";
import { callerOf, type Caller } from "../../shell/advice/caller";
import { commandLine } from "../../shell/advice/print";
import { isFailure } from "../../shell/failure";
import { openOutput } from "../../shell/output";
import { type Session, withSession } from "../../shell/session";
import type { CliEnvironment } from "../../shell/environment";

const nothingSet = { table: undefined, region: undefined, profile: undefined };

const fewHpas = 10;

/** For `ebb explain` without arguments. The command fails. */
export async function sayWhatItTakes(environment: CliEnvironment, verb: Verb): Promise<void> {
  const caller = callerOf(verb, nothingSet, environment.env);
  const out = openOutput(environment);
  const line = (...words: readonly string[]) => `  ${commandLine(ebb("explain", ...words), caller)}`;
  out.note(
    "error: expected an HPA, a kind or a field of one, got nothing",
    "Why an HPA has its size, and what comes next:",
    line("hpa", "NAME"),
    "What the fields of a kind mean:",
    line("cluster.spec"),
    line("hpa.spec.behavior", "--recursive"),
  );
  environment.exitWith(1);
  const hpas = await knownHpas(environment, verb, caller);
  if (hpas.length > 0) out.note(hpas.length === 1 ? "The HPA of this table:" : "The HPAs of this table:", ...hpas);
}

async function knownHpas(environment: CliEnvironment, verb: Verb, caller: Caller): Promise<readonly string[]> {
  let lines: readonly string[] = [];
  const exitWith = () => undefined;
  try {
    await withSession({ ...environment, exitWith }, verb, async (session) => {
      lines = await explainLines(session, caller);
    });
  } catch (error) {
    if (!isFailure(error) && !isFault(error)) throw error;
    return [];
  }
  return lines;
}

async function explainLines(session: Session, caller: Caller): Promise<readonly string[]> {
  const { store, entries, signal } = session;
  const shards = await store.shards(signal);
  const names = await session.clusters();
  const size = shards.reduce((sum, shard) => sum + (names.includes(shard.cluster) ? shard.entries : 0), 0);
  if (size > fewHpas) return [];
  const found = (
    await Promise.all(names.map((cluster) => entries.list("HorizontalPodAutoscaler", { cluster }, signal)))
  ).flat();
  if (found.length > fewHpas) return [];
  return found.map(({ ref: { cluster = "", namespace = "default", name } }) => {
    const place = names.length > 1 ? ["--cluster", cluster] : [];
    return `  ${commandLine(ebb("explain", "hpa", name, "-n", namespace, ...place), caller)}`;
  });
}

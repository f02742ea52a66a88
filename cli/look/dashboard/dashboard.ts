import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { openHistoryReader } from "../../../compose";
import { closeAfter } from "../../../lib/async/closing";
import { prices } from "../../../lib/model/prices";
import type { CliEnvironment } from "../../shell/environment";
import { portNumber } from "../../shell/flags";
import { failure } from "../../shell/failure";
import type { Session } from "../../shell/session";
import { tableVerb } from "../../shell/table-verb";
import { openInBrowser } from "./open-in-browser";
import { type PageFiles, serveDashboard } from "./serve";

interface DashboardOptions {
  readonly port: number;
  readonly open?: boolean;
  readonly replicaHour: number;
}

export function dashboardCommand(environment: CliEnvironment): Command {
  return tableVerb<DashboardOptions>(environment, {
    name: "dashboard",
    summary: "Serve a page on this machine that shows every HPA, live.",
    description:
      "Serve a page on this machine, for you alone, that shows every HPA of the table, live, and why each has its size.",
    examples: [
      ["The demo of npm start, or a local table", "ebb dashboard"],
      ["A table in AWS, with your credentials", "ebb dashboard --table ebb-prod --open"],
    ],
    options: (command) =>
      command
        .option("--port <number>", "the port on 127.0.0.1 (default: a free one)", portNumber, 0)
        .option(
          "--replica-hour <dollars>",
          "what a replica costs an hour (default: 1 vCPU with 4 GB, as ebb cost has it)",
          dollars,
          prices.vcpuHour,
        )
        .option("--open", "open the page in your browser"),
    run: (session, { options }) => runDashboard({ ...session, env: environment.env }, options),
  });
}

async function runDashboard(
  session: Session & Pick<CliEnvironment, "env">,
  { port, open = false, replicaHour: dollarsPerHour }: DashboardOptions,
): Promise<void> {
  const { out, signal, settings, table, now, env } = session;
  await closeAfter(async (closing) => {
    const files = await pageFiles();
    const history = openHistoryReader(table, now);
    const isPaid = settings.table !== undefined;
    const dashboard = await serveDashboard({ ...session, history, files, port, isPaid, dollarsPerHour });
    closing.add(() => dashboard.close());
    out.print(dashboardLine(dashboard.url));
    const { platform } = process;
    const host = { platform, env, folder: tmpdir(), failed: (problem: string) => out.warn(problem) };
    if (open) closing.add(await openInBrowser(dashboard.url, host));
    if (!signal.aborted) await once(signal, "abort");
  });
}

export function dashboardLine(url: string): string {
  return `Dashboard: ${url}`;
}

export async function pageFiles(folder = builtPage()): Promise<PageFiles> {
  const names = ["index.html", "app.js", "app.css", "icon.svg"];
  try {
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
    return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ""]));
  } catch (cause) {
    throw failure(
      `the page's files are missing in ${folder}: build them with npm run build (${(cause as Error).message})`,
    );
  }
}

function builtPage(): string {
  const besideBundle = join(__dirname, "dashboard");
  return existsSync(besideBundle) ? besideBundle : join(__dirname, "../../../dist/dashboard");
}

function dollars(text: string): number {
  const amount = Number(text);
  if (text.trim() === "" || !Number.isFinite(amount) || amount < 0)
    throw new InvalidArgumentError("expected dollars, such as 0.02");
  return amount;
}

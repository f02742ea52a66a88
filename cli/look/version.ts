import { Command, Option } from "commander";
import { version as release } from "../../package.json";
import type { TerminalSize } from "../../lib/k8s/escape-terminal";
import { toJson } from "../shell/print/to-json";
import { toYaml } from "../shell/print/to-yaml";
import { adviceText } from "../understand/advice/print";
import { advice } from "../understand/advice/table";
import { failure } from "../shell/failure";
import { addGlobalOptions, globalOptions } from "../shell/global-options";
import { examples } from "../shell/help";
import { openOutput } from "../shell/output";
import { type Session, withSession } from "../shell/session";
import type { CliEnvironment } from "../shell/environment";
import { type Deployed, deployedOf, skewWarning, versionInfo } from "./deployed";

interface VersionOptions {
  readonly client?: boolean;
  readonly output?: "json" | "yaml";
}

/** `ebb version`: this command's version, and the one that the functions last synced with. */
export function versionCommand(environment: CliEnvironment): Command {
  const command = new Command("version")
    .summary("Show the versions of this command and of the deployment.")
    .description(
      "Print the version of this command (client) and of the functions that sync the table (server), as of the last sync.",
    )
    .option("--client", "the client's version alone; needs no table")
    .addOption(new Option("-o, --output <format>", "as data").choices(["json", "yaml"]))
    .addHelpText(
      "after",
      examples([
        ["Is the deployment as new as this command?", "ebb version"],
        ["The version of this command, for a script", "ebb version --client -o json"],
      ]),
    );
  return addGlobalOptions(command).action(async (options: VersionOptions, self: Command) => {
    const out = openOutput(environment, globalOptions(self).color);
    const read: { deployed?: Deployed; warnings?: readonly string[] } = {};
    try {
      if (options.client === true) return;
      await withSession(environment, self, async (session) => {
        read.deployed = await out.during("reading the table", readDeployed(session));
        read.warnings = warningsOf(read.deployed, await adviceOf(session));
      });
    } finally {
      // As in kubectl: the client's version in any case, before the error.
      out.write(versionText(out, read.deployed, options));
    }
    for (const warning of read.warnings ?? []) out.warn(warning);
  });
}

interface Todo {
  readonly askStatus: string;
  readonly sameVersion: string;
}

/** How to find out why shards are not synced by what is deployed, and what to do if it is of another version. */
async function adviceOf({ callerFor, settings: { cluster } }: Session): Promise<Todo> {
  const caller = await callerFor([]);
  const askStatus = adviceText(advice.askStatus({ ...(cluster !== undefined && { cluster }) }), caller);
  return { askStatus, sameVersion: adviceText(advice.sameVersion(), caller) };
}

async function readDeployed(session: Session): Promise<Deployed> {
  const { store, settings, signal } = session;
  const wanted = settings.cluster === undefined ? undefined : await session.cluster();
  const writers = await store.shardWriters(signal);
  const deployed = deployedOf(writers.filter(({ cluster }) => wanted === undefined || cluster === wanted));
  if (deployed !== undefined) return deployed;
  throw failure(`the deployed version is unknown: no shard has been synced; ${(await adviceOf(session)).askStatus}`);
}

function versionText(out: TerminalSize, deployed: Deployed | undefined, { output }: VersionOptions): string {
  if (output === undefined) {
    const server = deployed === undefined ? "" : `Server Version: v${deployed.release}\n`;
    return `Client Version: v${release}\n${server}`;
  }
  const { version: nodeVersion, platform, arch } = process;
  const info = {
    clientVersion: { ...versionInfo(release), nodeVersion, platform: `${platform}/${arch}` },
    ...(deployed !== undefined && { serverVersion: versionInfo(deployed.release) }),
  };
  return (output === "json" ? toJson : toYaml)(info, out);
}

function warningsOf(deployed: Deployed, todo: Todo): readonly string[] {
  const skew = skewWarning(release, deployed.release);
  const others = deployed.others.map(({ release: other, shards }) => {
    const which = other === undefined ? "a version that does not record itself" : `v${other}`;
    return `${shards} ${shards === 1 ? "shard was" : "shards were"} last synced by ${which}; ${todo.askStatus}`;
  });
  return [...(skew === undefined ? [] : [`${skew}: ${todo.sameVersion}`]), ...others];
}

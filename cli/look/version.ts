import type { TerminalSize } from "../../lib/k8s/escape-terminal";
import type { ShardWriter } from "../../lib/table/items/shard-item";
import { version as release } from "../../package.json";
import type { CliEnvironment } from "../shell/environment";
import { failure } from "../shell/failure";
import { addGlobalOptions, globalOptions } from "../shell/global-options";
import { examples } from "../shell/help";
import { openOutput } from "../shell/output";
import { toJson } from "../shell/print/to-json";
import { toYaml } from "../shell/print/to-yaml";
import { type Session, withSession } from "../shell/session";
import { adviceText } from "../shell/advice/print";
import { advice } from "../shell/advice/table";
import { Command, Option } from "commander";

interface VersionOptions {
  readonly client?: boolean;
  readonly output?: "json" | "yaml";
}

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
      // Like kubectl: the client's version first, even before an error.
      out.write(versionText(out, read.deployed, options));
    }
    for (const warning of read.warnings ?? []) out.warn(warning);
  });
}

interface Todo {
  readonly askStatus: string;
  readonly sameVersion: string;
}

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

interface Deployed {
  readonly release: string;
  readonly others: readonly { readonly release: string | undefined; readonly shards: number }[];
}

const semantic = /^(\d{1,9})\.(\d{1,9})\.\d{1,9}(?:[-+][\w.+-]{1,64})?$/;

/** From the newest shard; undefined: no shard has been synced. @throws Failure when the version is not recorded */
export function deployedOf(writers: readonly ShardWriter[]): Deployed | undefined {
  const known = writers.map((writer) => ({ ...writer, release: semantic.exec(writer.release ?? "")?.[0] }));
  const [newest] = known.toSorted((a, b) => b.heartbeat - a.heartbeat);
  if (newest === undefined) return undefined;
  const { release } = newest;
  if (release === undefined)
    throw failure("the deployed version is unknown: it is one that does not record its version in the table");
  const rest = [...new Set(known.map((one) => one.release))].filter((other) => other !== release);
  const others = rest.map((other) => ({ release: other, shards: known.filter((one) => one.release === other).length }));
  return { release, others };
}

/** Before 1.0, a minor version may change the meaning of entries. */
const supportedMinorSkew = 0;

/** In kubectl's words; undefined: the versions fit. Upstream: kubectl pkg/cmd/version/skew_warning.go */
export function skewWarning(client: string, server: string): string | undefined {
  const [ours, theirs] = [partsOf(client), partsOf(server)];
  const isSupported = ours.major === theirs.major && Math.abs(ours.minor - theirs.minor) <= supportedMinorSkew;
  if (isSupported) return undefined;
  const [one, other] = [ours, theirs].map(({ major, minor }) => `${major}.${minor}`);
  return (
    `version difference between client (${one}) and server (${other}) exceeds the supported minor version skew of ` +
    `+/-${supportedMinorSkew}`
  );
}

function versionInfo(release: string) {
  const { major, minor } = partsOf(release);
  return { major: String(major), minor: String(minor), gitVersion: `v${release}` };
}

function partsOf(release: string): { readonly major: number; readonly minor: number } {
  const [, major, minor] = semantic.exec(release) ?? [];
  return { major: Number(major), minor: Number(minor) };
}

import { closeAfter } from "../../../lib/async/closing";
import { openEntries } from "../../../lib/table/entries";
import { configPath, readConfig } from "../../set-up/config/config-file";
import type { GlobalOptions } from "../global-options";
import { resolveSettings, type Settings } from "../../set-up/config/settings";
import type { CliEnvironment } from "../environment";
import type { Lookup } from "./candidates";

/** The shell waits for this: better no names than a stuck prompt. */
const timeoutMs = 1500;

/** Names from the table and the config file. Says nothing about failures or a slow table: the user is typing. */
export function tableLookup(environment: CliEnvironment): Lookup {
  return {
    async names(what, given) {
      try {
        const { env } = environment;
        if (what === "contexts") return Object.keys((await readConfig(configPath(env))).contexts ?? {});
        const options = given as GlobalOptions;
        return await inTime(fromTable(environment, what, await resolveSettings(options, env)));
      } catch {
        return [];
      }
    },
  };
}

async function fromTable(
  environment: CliEnvironment,
  what: Parameters<Lookup["names"]>[0],
  settings: Settings,
): Promise<readonly string[]> {
  const { table, close } = await environment.openTable(settings);
  const signal = AbortSignal.timeout(timeoutMs);
  return await closeAfter(async (closing) => {
    closing.add(close);
    const entries = openEntries(table);
    const scope = settings.cluster === undefined ? {} : { cluster: settings.cluster };
    if (what === "clusters") return (await entries.list("Cluster", {}, signal)).map(({ ref }) => ref.name);
    if (what === "sources")
      return distinct((await entries.list("MetricSource", scope, signal)).map(({ ref }) => ref.name));
    const hpas = await entries.list("HorizontalPodAutoscaler", scope, signal);
    if (what === "namespaces") return distinct(hpas.map(({ ref }) => ref.namespace ?? ""));
    const { namespace } = settings;
    return distinct(hpas.filter(({ ref }) => ref.namespace === namespace).map(({ ref }) => ref.name));
  });
}

function distinct(names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter((name) => name !== "");
}

async function inTime<T>(work: Promise<readonly T[]>): Promise<readonly T[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly T[]>((resolve) => (timer = setTimeout(() => resolve([]), timeoutMs)));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

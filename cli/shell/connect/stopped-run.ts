import { access } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../../lib/model/fault";
import type { MetricSources, ReadContext } from "../../../lib/model/ports/sources";
import { descriptionOf } from "../../../lib/sources/descriptions";
import { stored } from "../../../local/directory";
import { demoCluster } from "../../../local/stored-tables";

export interface StoppedRun {
  readonly directory: string;
  /** Absent: no demo. */
  readonly demo?: typeof demoCluster;
}

export const demoStopped = "the demo is stopped";

export async function stoppedIn(directory: string): Promise<StoppedRun> {
  // Only a demo has a kubeconfig of its own.
  const hasDemo = await access(join(directory, stored.kubeconfig)).then(
    () => true,
    () => false,
  );
  return { directory, ...(hasDemo && { demo: demoCluster }) };
}

export function demoFault(): Fault {
  return new Fault("unreachable", `${demoStopped}: start it with \`npm start\``);
}

export function isOfStoppedDemo(
  stopped: StoppedRun | undefined,
  { cluster, kind }: { readonly cluster: string; readonly kind: string },
): boolean {
  return stopped?.demo === cluster && asksAws(kind);
}

function asksAws(kind: string): boolean {
  return Object.hasOwn(descriptionOf(kind)?.fields ?? {}, "region");
}

/** AWS has no queues of a stopped demo, or another's of the same name. */
export function withoutDemo(sources: MetricSources, cluster: string): MetricSources {
  return Object.fromEntries(
    Object.entries(sources).map(([kind, source]) => {
      if (!asksAws(kind)) return [kind, source];
      const stopped = { read: () => Promise.resolve({ error: demoFault().message, from: kind }) };
      const open = (context: ReadContext) => (context.cluster.name === cluster ? stopped : source.open(context));
      return [kind, { ...source, open }];
    }),
  );
}

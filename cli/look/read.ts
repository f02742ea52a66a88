import { Command } from "commander";
import { formatMilli, parseMilli } from "../../lib/k8s/quantity";
import { closest } from "../../lib/model/check/closest";
import { problemText } from "../../lib/model/check/problem";
import { validateSource } from "../../lib/model/entry/validate-entry";
import type { ClusterAccess, SourceQuery, ReadContext } from "../../lib/model/ports/sources";
import type { DescribedKind } from "../../lib/sources/description";
import { descriptionOf } from "../../lib/sources/descriptions";
import { sourceKinds } from "../../lib/sources/registry";
import { type ReadOperand, readSource } from "../../lib/readings/read-operands";
import { externalSource, shareSources } from "../../lib/readings/read-sources";
import { clusterIn, sourceIn } from "../../lib/table/items/resource-items";
import { connectionsFrom, type LocalConnections } from "../shell/connect/connections";
import { isOfStoppedDemo } from "../shell/connect/stopped-run";
import type { ClusterEntry } from "../../lib/model/entry/entries";
import { adviceText } from "../shell/advice/print";
import type { SourceName } from "../shell/advice/entries";
import { adviceFor } from "../understand/doctor/check-sources";
import { failure } from "../shell/failure";
import { addGlobalOptions } from "../shell/global-options";
import { examples } from "../shell/help";
import { type Session, withSession } from "../shell/session";
import { parameterHelp, parameterProblem, parametersOf } from "./kind-parameters";
import type { CliEnvironment } from "../shell/environment";

const notes = `
ebb reads from this machine with your credentials; the functions use their own.
LABEL=VALUE is a label of an HPA's metric: it overrides a parameter.`;

export function readCommand(environment: CliEnvironment): Command {
  const command = new Command("read")
    .summary("Read a metric source once, from here.")
    .description("Read a metric source once, from this machine: the number, and how it came about.")
    .argument("<source>", `a MetricSource, or a kind: ${Object.keys(sourceKinds).join(", ")}`)
    .argument("[label=value...]", "labels as an HPA's metric has them; of a kind, its parameters (lists as JSON)")
    .addHelpText("after", notes)
    .addHelpText(
      "after",
      examples([
        ["A source of the table, as an HPA with this label reads it", "ebb read waiting-jobs var.queue=thumbnails"],
        ["A queue's depth", "ebb read sqs queue=orders"],
        ["Which parameters a kind takes", "ebb read schedule"],
        ["A kind that has no entry yet", "ebb read schedule start='0 9 * * 1-5' end='0 18 * * 1-5' value=10"],
      ]),
    );
  return addGlobalOptions(command).action(
    (source: string, labels: readonly string[], _options: object, self: Command) =>
      withSession(environment, self, (session) => run(session, source, labels)),
  );
}

interface QueryToRead {
  readonly kind: string;
  readonly query: SourceQuery;
  readonly source?: SourceName;
  readonly described?: DescribedKind;
}

async function run(session: Session, name: string, labels: readonly string[]): Promise<number> {
  const { out, signal, now, settings } = session;
  const cluster = await session.cluster();
  const wanted = await queryToRead(session, cluster, name, labelsOf(labels));
  const { described, query } = wanted;
  const problem = described && parameterProblem(described, query.parameters);
  if (described !== undefined && problem !== undefined) {
    out.note(`error: ${problem}`, ...parameterHelp(described));
    return 1;
  }
  const connections = await connectionsFrom(settings, now);
  try {
    if (!Object.hasOwn(connections.sources, wanted.kind))
      throw failure(
        `source ${name}: expected a kind among ${Object.keys(connections.sources).join(", ")}, got "${wanted.kind}"`,
      );
    const startedAt = now();
    const context = { now: startedAt, signal, cluster: clusterAccess(session, connections, cluster) };
    const { response: reading, operands = [] } = await out.during(
      "reading",
      readOnce(session, wanted, { connections, context }),
    );
    const took = `${now() - startedAt} ms`;
    if ("error" in reading) {
      const requester = { cluster, regions: connections.region, written: { source: wanted.source } };
      const caller = await session.callerFor([await clusterOf(session, cluster)]);
      const isUnasked = isOfStoppedDemo(connections.stopped, { cluster, kind: wanted.kind });
      const todo = isUnasked ? [] : [adviceText(await adviceFor(wanted.kind, wanted.query, requester), caller)];
      out.note(`error: ${reading.error}`, ...todo);
      noteOperands(session, operands);
      return 1;
    }
    const values = reading.items.map(({ value }) => parseMilli(value));
    out.print(
      formatMilli(
        values.reduce((sum, value) => sum + value, 0n),
        "DecimalSI",
      ),
    );
    out.note(`kind ${wanted.kind}, cluster ${cluster}, read from here in ${took}`);
    for (const [parameter, value] of Object.entries(wanted.query.parameters))
      out.note(`  ${parameter}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
    if (values.length !== 1) out.note(`${values.length} values, which an HPA sums:`);
    for (const { value, metricLabels } of reading.items) {
      const text = Object.entries(metricLabels ?? {}).map(([label, its]) => `${label}=${its}`);
      if (values.length !== 1 || text.length > 0) out.note(`  ${value} ${text.join(",")}`.trimEnd());
    }
    noteOperands(session, operands);
    return 0;
  } finally {
    connections.close();
  }
}

async function readOnce(
  { entries, signal }: Session,
  { kind, query }: QueryToRead,
  { connections, context }: { readonly connections: LocalConnections; readonly context: ReadContext },
): Promise<Pick<Awaited<ReturnType<typeof readSource>>, "response" | "operands">> {
  const { sources } = connections;
  const { metricName, parameters } = query;
  const reads = shareSources(sources, {}, { ...context, slot: context.now });
  if (sources[kind]?.operands === undefined)
    return readSource(reads, { kind: "source", source: kind, parameters }, query);
  const stored = await entries.list("MetricSource", { cluster: context.cluster.name }, signal);
  const decoded = stored.map(sourceIn);
  const own = { key: metricName, value: { name: metricName, spec: { kind, parameters } } };
  const known = { entries: new Map([...decoded, own].map((entry) => [entry.key, entry])), sources };
  const found = externalSource({ name: metricName }, known);
  if (found.kind !== "source") return { response: { error: found.kind === "invalid" ? found.error : metricName } };
  return readSource(reads, found, { metricName });
}

function noteOperands({ out }: Session, operands: readonly ReadOperand[]): void {
  if (operands.length > 0) out.note("made of:");
  for (const { name, metricName, reading } of operands) {
    const values = "error" in reading ? [] : reading.items.map(({ value }) => parseMilli(value));
    const sum = formatMilli(
      values.reduce((all, value) => all + value, 0n),
      "DecimalSI",
    );
    out.note(`  ${name} = ${"error" in reading ? `missing: ${reading.error}` : sum} (source ${metricName})`);
  }
}

function labelsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw failure(`expected LABEL=VALUE, got ${JSON.stringify(text)}`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** As in a sync: the entry of this name, else the kind. @throws Failure */
async function queryToRead(
  { entries, signal }: Session,
  cluster: string,
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<QueryToRead> {
  const stored = await entries.get({ kind: "MetricSource", cluster, name }, signal);
  if (stored === undefined) {
    const described = descriptionOf(name);
    if (described !== undefined) {
      const query = { metricName: name, parameters: parametersOf(described, labels) };
      return { kind: name, query, described };
    }
    const known = (await entries.list("MetricSource", { cluster }, signal)).map(({ ref }) => ref.name);
    const all = [...known, ...Object.keys(sourceKinds)];
    const meant = closest(name, all);
    const hint = meant === undefined ? `there are ${all.join(", ")}` : `did you mean ${meant}?`;
    throw failure(`metricsources.ebb.dev "${name}" not found in cluster ${cluster}; ${hint}`);
  }
  const spec = stored.document["spec"] as { readonly kind: string; readonly parameters?: SourceQuery["parameters"] };
  const [problem] = validateSource(spec);
  if (problem !== undefined) throw failure(`source ${name}: ${problemText(problem)}`);
  const query = { metricName: name, parameters: { ...spec.parameters, ...labels } };
  return { kind: spec.kind, query, source: { cluster, name } };
}

/** Undefined: no usable entry. */
async function clusterOf({ entries, signal }: Session, name: string): Promise<ClusterEntry | undefined> {
  const stored = await entries.get({ kind: "Cluster", cluster: name, name }, signal);
  const entry = stored && clusterIn(stored);
  return entry !== undefined && "value" in entry ? entry.value : undefined;
}

/** Connects only if the source goes through the cluster's API server. */
function clusterAccess({ entries, signal }: Session, connections: LocalConnections, name: string): ClusterAccess {
  return {
    name,
    api: async () => {
      const stored = await entries.get({ kind: "Cluster", cluster: name, name }, signal);
      const entry = stored && clusterIn(stored);
      if (entry === undefined || "invalid" in entry)
        throw failure(`cluster ${name}: ${entry?.invalid ?? "it has no entry"}`);
      return connections.clusters.connect(entry.value, signal);
    },
  };
}

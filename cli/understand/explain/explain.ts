import { once } from "../../../lib/async/shared";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import type { HorizontalPodAutoscaler, MetricSpec } from "../../../lib/k8s/hpa";
import type { MetricResponse, PodMetrics } from "../../../lib/k8s/objects";
import { Fault, isFault } from "../../../lib/model/fault";
import type { Shard } from "../../../lib/model/stored/shard";
import { optionsOf } from "../../../lib/read/decisions";
import type { HpaFacts } from "../../../lib/read/hpa-facts";
import { type FoundPods, type PodsNow, isOfPods, podsNow } from "./pods-now";
import { type LocalConnections, connectionsFrom } from "../../shell/connect/connections";
import type { CliEnvironment } from "../../shell/environment";
import { failure, failureText, isFailure } from "../../shell/failure";
import { addGlobalOptions } from "../../shell/global-options";
import { examples } from "../../shell/help";
import { eachInOrder } from "../../shell/in-order";
import { openOutput } from "../../shell/output";
import type { ResourceQuery } from "../../shell/input/parse-targets";
import { argsOf, hpaQueriesOf, isByFile } from "../../write/documents/query-files";
import { type Session, withSession } from "../../shell/session";
import { type DocumentOptions, addDocumentOptions } from "../../shell/input/document-options";
import type { HpaName } from "../../../lib/model/hpa-key";
import { type DecisionOptions, explainHpa } from "./explain-hpa";
import { explainFields } from "./field-page";
import { sayWhatItTakes } from "./what-it-takes";
import { Command, InvalidArgumentError, Option } from "commander";

interface ExplainOptions extends DocumentOptions, DecisionOptions {}

export function explainCommand(environment: CliEnvironment): Command {
  const command = new Command("explain")
    .summary("Explain why an HPA has its size, or what the fields of a kind mean.")
    .description(
      "With the name of an HPA, explain what it read, what each metric asked for, what held it back, and what happens next " +
        "and when. With a kind or a field's path (cluster, source.spec, hpa.spec.behavior.scaleUp), explain its fields.",
    )
    .argument("[FIELD | hpa | hpa/NAME]", "a kind, or a field of one by its path; or the HPAs")
    .argument("[NAME...]")
    .option("--at <time>", "how it was at a time: 03:00, '2026-03-01 03:00', RFC 3339, or 2h for two hours ago")
    .addOption(
      new Option("--last <n>", "list the last decisions, one a line").argParser(count).conflicts(["at", "since"]),
    )
    .addOption(new Option("--since <time>", "list the decisions since a time, one a line").conflicts("at"))
    .addOption(
      new Option(
        "--pods",
        "also list the pods that match the target's selector now: which of them count, and which are not the target's; " +
          "reads the cluster with your own credentials",
      ).conflicts(["at", "last", "since"]),
    )
    .addOption(new Option("-o, --output <format>", "the decisions as data").choices(["json", "yaml"]))
    .addHelpText(
      "after",
      examples([
        ["Why does it (not) scale?", "ebb explain hpa orders -n shop"],
        ["How was it at three o'clock?", "ebb explain hpa orders -n shop --at 03:00"],
        ["Who scaled in the last six hours?", "ebb explain hpa/orders -n shop --since 6h"],
        ["The last ten decisions, as data", "ebb explain hpa orders -n shop --last 10 -o json"],
        ["Which pods count, and which are not the target's?", "ebb explain hpa orders -n shop --pods"],
        ["The fields of a cluster's entry", "ebb explain cluster.spec"],
        ["All fields below the settings for the pace of scaling", "ebb explain hpa.spec.behavior --recursive"],
        ["The parameters of sqs and cloudwatch", "ebb explain source.spec.parameters"],
      ]),
    );
  const recursive = "with a field: the tree of all fields below it; with -f: also read the subfolders of a folder";
  return addGlobalOptions(addDocumentOptions(command, recursive)).action(
    (what: string | undefined, names: readonly string[], options: ExplainOptions, self: Command) => {
      const isField = what !== undefined && names.length === 0 && !what.includes("/") && !isByFile(options);
      if (isField) return explainField(environment, what, options);
      if (what === undefined && !isByFile(options)) return sayWhatItTakes(environment, self);
      if (options.recursive === true && !isByFile(options))
        throw failure("--recursive works with a field, as in `ebb explain hpa.spec --recursive`, or with -f FOLDER");
      return withSession(environment, self, async (session) => {
        // Also `explain hpa hpa/web`, which earlier versions accepted.
        const args = argsOf(
          what,
          what?.includes("/") ? names : names.map((name) => name.replace(/^(hpas?|horizontalpodautoscalers?)\//, "")),
        );
        const queries = await hpaQueriesOf(session, { args, options, command: self, stdin: environment.stdin });
        return await explainEach(session, await subjectsOf(session, queries), options);
      });
    },
  );
}

/** The options about decisions need an HPA's name. */
function explainField(environment: CliEnvironment, path: string, options: ExplainOptions): void {
  const { at, last, since, output, pods, recursive = false } = options;
  if ([at, last, since, output, pods].some((option) => option !== undefined))
    throw failure("missing required argument 'name': only the decisions of an HPA have a time or are data");
  openOutput(environment).write(fieldsOf(path, recursive));
}

/** @throws Failure; for an unknown word, with the way to explain an HPA */
function fieldsOf(path: string, recursive: boolean): string {
  try {
    return explainFields(path, recursive);
  } catch (error) {
    if (!isFailure(error) || path.includes(".")) throw error;
    throw failure(`${error.message}; an HPA's decision: ebb explain hpa NAME`);
  }
}

async function subjectsOf(session: Session, queries: readonly ResourceQuery[]): Promise<readonly HpaName[]> {
  const subjects: HpaName[] = [];
  for (const { names = [], place } of queries) {
    const cluster = place?.cluster ?? (await session.cluster());
    const namespace = place?.namespace ?? session.settings.namespace;
    subjects.push(...names.map((name) => ({ cluster, namespace, name })));
  }
  return subjects;
}

/** @returns the exit code */
async function explainEach(session: Session, subjects: readonly HpaName[], options: DecisionOptions): Promise<number> {
  const { out, store, settings, now } = session;
  const shards = once<readonly Shard[]>();
  const connections = options.pods === true ? await connectionsFrom(settings, now) : undefined;
  const podReader = connections && { podReader: (facts: HpaFacts) => readPods(connections, facts, session) };
  const shared = { ...store, shards: () => shards("", () => store.shards(session.signal)) };
  const looking = { ...session, store: shared, ...podReader };
  const separator = options.output === undefined ? "\n" : options.output === "yaml" ? "---\n" : "";
  let [code, isFirst] = [0, true];
  const explaining = eachInOrder(session, subjects, {
    doing: () => "reading",
    call: (subject) => explainHpa(looking, subject, options),
    done({ text, note, isFailed = false }) {
      if (text !== "") {
        out.write(isFirst ? text : separator + text);
        isFirst = false;
      }
      if (note !== undefined) out.note(note);
      if (isFailed) code = 1;
    },
    failed(error) {
      if (!isFailure(error)) return false;
      out.note(...failureText(error).split("\n"));
      code = 1;
      return true;
    },
  });
  await explaining.finally(() => connections?.close());
  return code;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("expected a whole number, 1 or more");
  return value;
}

type PodsCluster = Pick<TargetCluster, "getScale" | "listOwnedPods" | "podMetrics" | "podsMetric">;

/** From this machine. Rejects with a Fault. */
async function readPods(
  { clusters }: Pick<LocalConnections, "clusters">,
  facts: HpaFacts,
  { now, signal }: Pick<Session, "now" | "signal">,
): Promise<PodsNow> {
  const { cluster, entry } = facts;
  if ("invalid" in cluster) throw new Fault("badEntry", cluster.invalid);
  if ("errors" in entry) throw new Fault("badEntry", entry.errors.join("; "));
  const found = await findPods(await clusters.connect(cluster.value, signal), entry.hpa, signal);
  return podsNow(entry.hpa, found, { options: optionsOf(facts), now: now() });
}

async function findPods(cluster: PodsCluster, hpa: HorizontalPodAutoscaler, signal: AbortSignal): Promise<FoundPods> {
  const { namespace = "default" } = hpa.metadata;
  const scale = await cluster.getScale({ ...hpa.spec.scaleTargetRef, namespace }, signal);
  const { selector = "" } = scale.status;
  // Without a selector, every pod of the namespace would match.
  if (selector === "") throw new Fault("badAnswer", "expected a selector in the target's scale, got none");
  const shared = once<readonly PodMetrics[]>();
  const read = async (metric: MetricSpec): Promise<MetricResponse> => {
    try {
      const items =
        metric.pods === undefined
          ? await shared("", () => cluster.podMetrics(namespace, selector, signal))
          : await cluster.podsMetric({ namespace, metric: metric.pods.metric, selector }, signal);
      return { items };
    } catch (error) {
      if (!isFault(error)) throw error;
      return { error: error.message };
    }
  };
  const metrics = (hpa.spec.metrics ?? []).filter(isOfPods);
  const [pods, ...responses] = await Promise.all([
    cluster.listOwnedPods(namespace, selector, signal),
    ...metrics.map(read),
  ]);
  const readings = metrics.map((metric, index) => ({ metric, response: responses[index] ?? { items: [] } }));
  return { scale, pods, readings };
}

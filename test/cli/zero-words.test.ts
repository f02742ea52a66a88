import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describeHpa } from "../../cli/look/describe-hpa";
import { evaluateLines } from "../../cli/understand/evaluate/evaluate";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { Condition } from "../../lib/k8s/objects";
import { external, hpaWith, noon, scaledToZero, scaleOf, unhindered } from "../core/build";
import { factsWith, pageOf } from "./explain/explained";

const annotations = { "ebb.dev/zero": '{"after":"60s","from":2}' };
const plain = hpaWith({ minReplicas: 0, behavior: unhindered, maxReplicas: 10 });
const hpa: HorizontalPodAutoscaler = { ...plain, metadata: { ...plain.metadata, annotations } };
const atZero = hpaWith(plain.spec, scaledToZero);
const failing = { error: "throttled", from: "sqs" };
const ago = (seconds: number) => new Date(noon - seconds * 1000).toISOString();

interface Answer {
  readonly desiredReplicas: number;
  readonly conditions: readonly Condition[];
  readonly events: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
  readonly steps: readonly { readonly stage: string; readonly because: string }[];
}

interface Given {
  readonly replicas: number;
  readonly metric: ReturnType<typeof external> | typeof failing;
  readonly activity: object | undefined;
}

async function evaluated({ replicas, metric, activity }: Given): Promise<Answer> {
  const given = replicas > 0 ? hpa : { ...hpa, status: atZero.status };
  const moment = { now: ago(0), scale: scaleOf(replicas), pods: [], metrics: [metric] };
  const situation = { hpa: given, ...moment, history: null, activity };
  const output = new PassThrough();
  const written = text(output);
  await evaluateLines({ input: Readable.from([`${JSON.stringify(situation)}\n`]), output });
  output.end();
  return JSON.parse(await written) as Answer;
}

const idle = (lastWork: string): Given => ({ replicas: 2, metric: external("0"), activity: { lastWork } });

test.each<[string, Given, string]>([
  ["what waits, and until when", idle(ago(30)), "zero follows at 2026-03-01T12:00:30Z, if no work comes"],
  ["since when there is no work", idle(ago(60)), "no External or Object metric has had work for 60s"],
  ["what is not known", { ...idle(ago(90)), metric: failing }, "a metric that cannot be read may have work"],
  ["that a zero stays", { ...idle(ago(90)), replicas: 0 }, "no External or Object metric has work"],
])("ebb evaluate says %s, with ebb.dev/zero", async (_, given, because) => {
  const { steps } = await evaluated(given);
  expect(steps.flatMap((step) => (step.stage === "idle" ? [step.because] : []))).toEqual([because]);
});

test("ebb evaluate's until and lastWork are those of ebb explain", async () => {
  const { steps } = await evaluated(idle(ago(30)));
  const detail = { lastWork: noon - 30_000, until: noon + 30_000 };
  expect(steps).toContainEqual(expect.objectContaining({ stage: "idle", limitedBy: "CoolingDown", detail }));
  const facts = factsWith({ hpa, scale: scaleOf(2), metrics: [external("0")], activity: { lastWork: noon - 30_000 } });
  const page = pageOf(facts);
  expect(page).toContain("until 12:00:30 UTC");
  expect(page).toContain("no metric has work, and then zero follows");
});

/** The description of the HPA with what one decision leaves on it. */
async function described(given: Given): Promise<string> {
  const { conditions, events, desiredReplicas } = await evaluated(given);
  const status = { conditions, currentReplicas: given.replicas, desiredReplicas };
  const printed = events.map((event) => ({ ...event, count: 1, firstTimestamp: noon, lastTimestamp: noon }));
  return describeHpa({ ...hpa, status }, printed, noon);
}

test("ebb describe shows the annotation, and why the target went to zero", async () => {
  const page = await described({ ...idle(ago(60)), replicas: 3 });
  expect(page).toMatch(/^Annotations: +ebb\.dev\/zero: \{"after":"60s","from":2\}$/m);
  expect(page).toContain("New size: 0; reason: No External or Object metric has work\n");
  expect(page).toMatch(/ScaledToZero +True +ScaledToZero +the HPA controller scaled the workload to zero\n/);
});

test("ebb describe says that from holds the size", async () => {
  const page = await described({ ...idle(ago(30)), replicas: 1 });
  expect(page).toMatch(
    /SuccessfulRescale .*New size: 2; reason: Current number of replicas below from of ebb\.dev\/zero\n/,
  );
});

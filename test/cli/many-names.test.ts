import { aroundCalls } from "../aws/around";
import { tableForTests } from "./table";

const { byHand, run, table } = tableForTests();
const names = Array.from({ length: 150 }, (_, index) => `web-${index}`);

beforeAll(async () => {
  const spec = { endpoint: "https://a.example", auth: { type: "token", secret: "ebb/prod" } };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec });
  for (const name of names) {
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name };
    await byHand({ pk: "CLUSTER#prod", sk: `HPA#default/${name}`, spec: { maxReplicas: 2, scaleTargetRef } });
  }
});

/** All of them as documents. */
const fileOf = (maxReplicas: number) =>
  names
    .map((name) =>
      JSON.stringify({
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name },
        spec: { maxReplicas, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name } },
      }),
    )
    .join("\n---\n");

interface Requests {
  /** How many were under way at most. */
  readonly most: number;
  /** How many times the command waited for an answer, if every answer takes as long as any other. */
  readonly rounds: number;
}

/** Watches the table's requests while `act` runs, and lets all that are under way answer together. */
async function requestsOf(act: () => Promise<unknown>): Promise<Requests> {
  let [running, most, rounds] = [0, 0, 0];
  let waiting: (() => void)[] = [];
  const answer = () => {
    rounds += 1;
    for (const go of waiting.splice(0)) go();
  };
  const end = aroundCalls(table().client, async (next) => {
    most = Math.max(most, ++running);
    await new Promise<void>((go) => {
      if (waiting.length === 0) setImmediate(answer);
      waiting = [...waiting, go];
    });
    try {
      return await next();
    } finally {
      running -= 1;
    }
  });
  try {
    await act();
  } finally {
    end();
  }
  return { most, rounds };
}

interface Row {
  readonly verb: string;
  /** Read from standard input. */
  readonly file?: string;
  readonly exitCode?: number;
  /** Default: four names at a time, with up to four requests each. */
  readonly most?: number;
  /** Default: one for each name, which a verb needs that asks for one after another. */
  readonly rounds?: number;
}

const rows: readonly Row[] = [
  { verb: "get hpa" },
  { verb: "describe hpa" },
  // One more request is for the shards.
  { verb: "explain hpa", most: 21 },
  { verb: "explain --last 3 hpa", most: 21 },
  { verb: "explain", file: fileOf(2), most: 21 },
  { verb: "wait --for=jsonpath={.spec.maxReplicas}=2 hpa" },
  { verb: "diff", file: fileOf(3), exitCode: 1 },
  { verb: "apply", file: fileOf(3) },
  { verb: "replace", file: fileOf(4) },
  { verb: `patch -p {"spec":{"maxReplicas":5}} hpa` },
  { verb: "label --overwrite hpa" },
  { verb: "annotate --overwrite hpa" },
  { verb: "pause hpa" },
  { verb: "resume hpa" },
  { verb: "delete --dry-run hpa" },
  { verb: "delete hpa", rounds: 200 },
  { verb: "create", file: fileOf(2) },
];

test.each(rows)("$verb with 150 names asks for a few at a time, and reports them in order", async (row) => {
  const { verb, file, exitCode: expected = 0 } = row;
  const limits = { most: 20, rounds: names.length, ...row };
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  const marks = /^(label|annotate)/.test(verb) ? ["tier=batch"] : [];
  const words = verb.split(" ");
  const args = file === undefined ? [...words, ...names, ...marks] : [...words, "-f", "-"];
  let shown: readonly string[] = [];
  const { most, rounds } = await requestsOf(async () => {
    const { exitCode, stdout, stderr } = await run(args, file === undefined ? {} : { stdin: file });
    expect([verb.includes("--last") ? "" : stderr, exitCode]).toEqual(["", expected]);
    shown = (verb.includes("--last") ? stderr : stdout).match(/\bweb-\d+/g) ?? [];
  });
  process.off("warning", onWarning);
  expect([...new Set(shown)]).toEqual(names);
  expect(most).toBeLessThanOrEqual(limits.most);
  expect(rounds).toBeLessThan(limits.rounds);
  expect(warnings.map(({ message }) => message)).toEqual([]);
});

import { execFile, execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import type { Answer } from "../../parity/case";
import { compare } from "../../parity/compare";
import { openUpstream, type Upstream } from "../../parity/ask-upstream";
import { readKubectlVectors } from "../cli/kubectl-vectors";
import { readVectors } from "../core/vectors";
import { appliedHpa } from "../docs/parity-proofs";
import { type ApiServer, startApiServer } from "./servers/api-server";
import { inCheckout } from "./servers/checkout";
import { installed } from "./servers/installed";
import { printHpas, serveHpa } from "./servers/served-hpas";
import { deployment, deployments } from "./servers/workloads";

/**
 * What is recorded in test/vectors of kubectl and the API server is what they answer now. `npm run vectors` writes
 * their answers down instead, to the same questions.
 */
const isRecording = process.env.EBB_RECORD !== undefined;

let apiServer: ApiServer;
let upstream: Upstream;

beforeAll(async () => {
  const recorder = execFileSync(process.execPath, [inCheckout("scripts/servers/recorder.mjs")], { encoding: "utf8" });
  upstream = openUpstream(recorder.trim());
  apiServer = await startApiServer();
}, 600_000);

afterAll(async () => {
  await upstream.close();
  await apiServer.stop();
});

/** Compares the answers with what is recorded, to the order of keys, or records them. */
function settle(name: string, recorded: readonly object[], answers: readonly object[]): void {
  expect([answers.length, answers.length > 0]).toEqual([recorded.length, true]);
  const changed = answers.flatMap((answer, index) => (isSame(answer, recorded[index]) ? [] : [index]));
  if (isRecording && changed.length > 0) {
    const lines = answers.map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(inCheckout("test/vectors", `${name}.jsonl.gz`), gzipSync(lines, { level: 9 }));
    console.log(`${name}: ${changed.length} of ${answers.length} are recorded with another answer`);
    return;
  }
  const few = changed.slice(0, 3);
  expect(few.map((index) => answers[index])).toEqual(few.map((index) => recorded[index]));
  expect(changed).toEqual([]); // in another order of keys
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

test("objects as kubectl prints them", async () => {
  const recorded = readKubectlVectors().filter((_, index) => isRecording || index % 10 === 0);
  const printed = await printHpas(
    apiServer,
    recorded.map(({ v2 }) => v2),
  );
  const answers = recorded.map(({ id }, index) => ({ id, ...printed[index] }));
  settle("kubectl", recorded, answers);
}, 600_000);

test("objects of autoscaling/v2 in autoscaling/v1", async () => {
  const recorded = readVectors<{ readonly id: string; readonly v2: HorizontalPodAutoscaler }>("v1");
  const answers: object[] = [];
  for (const { id, v2 } of recorded) answers.push({ id, v2, v1: await serveHpa(apiServer, "v1", v2) });
  settle("v1", recorded, answers);
});

/** Written as v1, it is stored as v2, and has v2's defaults when it is read. */
async function convert(given: HorizontalPodAutoscaler): Promise<object> {
  return serveHpa(apiServer, "v2", await serveHpa(apiServer, "v2", given));
}

test("objects of autoscaling/v1 in autoscaling/v2", async () => {
  const recorded = readVectors<{ readonly id: string; readonly given: HorizontalPodAutoscaler }>("versions");
  const answers: object[] = [];
  for (const one of recorded) {
    const { id, given } = one;
    // Kubernetes 1.37 reads no other version any more.
    answers.push(given.apiVersion === "autoscaling/v1" ? { id, given, v2: await convert(given) } : one);
  }
  settle("versions", recorded, answers);
});

test("values as kubectl prints them in YAML", async () => {
  const recorded = readVectors<{ readonly json: string }>("yaml");
  const printed = await upstream.ask(recorded.map(({ json }) => ({ kind: "yaml", given: json })));
  const answers = recorded.map(({ json }, index) => ({ json, yaml: expectOf(printed[index]) }));
  settle("yaml", recorded, answers);
});

interface Step {
  readonly at: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly left?: readonly string[];
}

test("events as client-go's correlator records them", async () => {
  const recorded = readVectors<{ readonly id: string; readonly steps: readonly Step[] }>("events");
  const answers: object[] = [];
  for (const { id, steps } of recorded) {
    const [answer] = await upstream.ask([{ kind: "events", given: steps }]);
    const made = expectOf(answer) as readonly object[];
    answers.push({
      id,
      steps: steps.map(({ at, type, reason, message }, index) => ({ at, type, reason, message, ...made[index] })),
    });
  }
  settle("events", recorded, answers);
});

test("commands of kubectl that ebb's differ from", async () => {
  await apiServer.admin.create(deployments, deployment("web", 1));
  const kubectl = (args: readonly string[], input = "") =>
    execFileSync(installed().kubectl, ["--kubeconfig", apiServer.kubeconfig, ...args], { encoding: "utf8", input });
  const hpa = JSON.stringify(appliedHpa);
  kubectl(["apply", "-f", "-"], hpa);
  kubectl(["patch", "hpa", "applied", "--type=merge", "-p", '{"spec":{"minReplicas":2}}']);
  const shown = ["-o", "jsonpath={.spec.minReplicas}"];
  const answers = [
    { id: "autoscale", answer: [kubectl([..."autoscale deployment web --min 0 --max 5".split(" "), ...shown])] },
    { id: "apply", answer: [kubectl(["apply", "-f", "-", ...shown], hpa)] },
    { id: "version", answer: await Promise.all(["1.36", "1.35"].map(skewWarning)) },
  ];
  settle("commands", readVectors("commands"), answers);
});

/** Of kubectl 1.37, for a server of this version. */
async function skewWarning(serverVersion: string): Promise<string> {
  const [major, minor] = serverVersion.split(".");
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ major, minor, gitVersion: `v${serverVersion}.0` })),
  );
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const asked = await promisify(execFile)(installed().kubectl, ["--server", `http://127.0.0.1:${port}`, "version"]);
  server.close();
  return asked.stderr;
}

/** Upstream overflows there: docs/parity.md. */
const averageOverNone = /-9223372036854775808m/g;

test.each(["decision", "document"] as const)("every tenth %s", async (kind) => {
  const name = { decision: "decisions", document: "validation" }[kind];
  const recorded = readVectors<{ readonly given: unknown; readonly expect: unknown }>(name);
  const some = recorded.filter((_, index) => index % 10 === 0);
  const answers = await upstream.ask(some.map(({ given }) => ({ kind, given })));
  const changed = some.flatMap(({ given, expect: before }, index) => {
    const now = JSON.parse(JSON.stringify(answers[index]).replace(averageOverNone, "0")) as Answer;
    const differences = compare(now, { expect: before }).filter(({ path }) => path !== "generation");
    return differences.length > 0 ? [{ given, differences }] : [];
  });
  expect(changed.slice(0, 3)).toEqual([]);
});

function expectOf(answer: unknown): unknown {
  expect(answer).toEqual({ expect: expect.anything() as unknown });
  return (answer as { readonly expect: unknown }).expect;
}

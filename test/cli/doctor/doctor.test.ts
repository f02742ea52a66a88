import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { putCluster, putHpa } from "../../../local/entries";
import { startSimulatedCluster, type SimulatedCluster } from "../../../local/backends/kubernetes/cluster";
import { openStore } from "../../../lib/table/store";
import { hpaWith } from "../../core/build";
import type { TargetCluster } from "../../../lib/cluster/cluster";
import { checkCluster } from "../../../cli/understand/doctor/check-cluster";
import { shard } from "../explain/explained";
import { ebb } from "../run-ebb";
import { planted } from "../../canaries/watch-writes";
import { tableForTests } from "../table";

jest.setTimeout(120_000);
const { table, folder, byHand } = tableForTests();
const hourMs = 3_600_000;
const run = (cluster: string, now: () => number = Date.now) =>
  ebb(["doctor", cluster, "--directory", folder()], { table: table(), now, env: { KUBECONFIG: given() } });
/** The kubeconfigs that the user names. */
const given = () => ["kubeconfig", "foreign", "gone"].map((name) => join(folder(), name)).join(delimiter);

let simulated: SimulatedCluster;
beforeAll(async () => {
  simulated = await startSimulatedCluster({ controllers: false });
  const file = join(folder(), "kubeconfig");
  const foreign = join(folder(), "foreign");
  const gone = join(folder(), "gone");
  planted(gone);
  const kubeconfig = simulated.kubeconfig("default");
  await writeFile(file, kubeconfig);
  await writeFile(foreign, kubeconfig.replace(simulated.adminToken, "nobody-has-this-token"));
  await putCluster(table(), "here", { auth: { type: "kubeconfig", file } });
  await writeFile(gone, kubeconfig.replace(simulated.endpoint, "https://127.0.0.1:1"));
  await putCluster(table(), "gone", { auth: { type: "kubeconfig", file: gone } });
  await putCluster(table(), "refused", { auth: { type: "kubeconfig", file: foreign } });
  await byHand({ pk: "CLUSTER#bad", sk: "CLUSTER", spec: { auth: { type: "foo" } } });
  await putHpa(
    table(),
    "here",
    hpaWith({ scaleTargetRef: { apiVersion: "example.com/v1", kind: "Worker", name: "w" } }),
  );
  await byHand({ pk: "CLUSTER#here", sk: "HPA#shop/bad", spec: { maxReplicas: 0 } });
  const store = openStore({ client: table().client, table: table().name, now: Date.now });
  const slot = Date.now();
  await store.createShard(
    { ...shard, cluster: "here", version: 1, slot, heartbeat: slot },
    new AbortController().signal,
  );
});
afterAll(() => simulated.close());

test.each<[string, string, readonly RegExp[]]>([
  [
    "an entry and a kind that cannot be used",
    "here",
    [
      /FAIL {2}HPA shop\/bad is valid: spec\.maxReplicas.* → fix its entry: `ebb edit hpa bad -n shop --cluster here --directory [^`]+`$/m,
      /ok {4}its shards are synced in time$/m,
      /ok {4}its clock and this machine's agree$/m,
      /FAIL {2}Worker can be scaled: no matches for kind "Worker".* → install its CRD/m,
    ],
  ],
  [
    "nobody there",
    "gone",
    [
      /FAIL {2}connects to .*: connection refused.* → check that the endpoint is right/m,
      /^ {2}\.\. {4}its shards are synced in time: not yet: its first slot is due by \d\d:\d\d:\d\d.* \(in \d+s\)$/m,
    ],
  ],
  [
    "malformed credentials",
    "refused",
    [/FAIL {2}connects to .*: Unauthorized → renew the credentials of the kubeconfig \/.*\/foreign$/m],
  ],
  [
    "a cluster's entry that is not valid",
    "bad",
    [/FAIL {2}its entry is valid: spec\.auth.* → fix the cluster's entry: `ebb edit cluster bad --directory [^`]+`$/m],
  ],
])("%s: reported, with what to do", async (_, cluster, lines) => {
  const { stdout, stderr, exitCode } = await run(cluster);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/needs? attention[.;]/);
  for (const line of lines) expect(stdout).toMatch(line);
});

test("an entry alone gets no kubeconfig of this machine: not checked, with how to give it", async () => {
  const { stdout } = await ebb(["doctor", "here", "--directory", folder()], { table: table() });
  expect(stdout).toMatch(
    /-- {4}connects to .*: not checked: auth\.file .*kubeconfig: expected .* name the file in KUBECONFIG/,
  );
});

test("reports clocks that differ, and slots that do not advance", async () => {
  const { stdout } = await run("here", () => Date.now() + hourMs);
  expect(stdout).toMatch(/FAIL {2}its clock and this machine's agree: the cluster's clock is 3[56]\d\d s behind → /);
  expect(stdout).toMatch(
    /FAIL {2}its shards are synced in time: ebb start has ended, so nothing is synced → start it: `ebb start --kubeconfig /,
  );
});

describe("a cluster that says its time 20 s after it was asked, when other checks take 20 s more", () => {
  const askedAt = Date.UTC(2026, 2, 1, 12);
  const required = {
    targets: [],
    objects: [],
    rights: [],
    metricsApis: ["metrics.k8s.io"],
    sources: [],
    invalidSources: [],
  };

  async function clockOf(serverTime: number): Promise<string | undefined> {
    let at = askedAt;
    const later = <T>(answer: T) => {
      at += 20_000;
      return Promise.resolve(answer);
    };
    const cluster = {
      reviewAccess: () => later({ allowed: true, serverTime }),
      reviewSelf: () => later({ username: "ebb", groups: ["ebb"] }),
      discovery: { versions: () => later(["v1"]) },
    } as unknown as TargetCluster;
    const entry = {
      name: "prod",
      spec: { endpoint: "https://api", auth: { type: "token", secret: "ebb/prod" } },
    } as const;
    const { findings } = await checkCluster(
      { clusters: { connect: () => Promise.resolve(cluster) } },
      { entry, required, hpas: [], locate: () => ({ kind: "cluster" }) },
      { now: () => at, signal: new AbortController().signal },
    );
    const found = findings.find(({ what }) => what.startsWith("its clock"));
    return found?.kind === "fail" ? found.why : found?.kind;
  }

  test.each([
    ["between the question and the answer: as this machine's", 12_000, "ok"],
    ["5 s before the question: as this machine's", -5_000, "ok"],
    ["6 s before the question", -6_000, "the cluster's clock is 6 s behind"],
    ["5 s after the answer: as this machine's", 25_000, "ok"],
    ["6 s after the answer", 26_000, "the cluster's clock is 6 s ahead"],
  ])("%s", async (_name, afterMs, expected) => {
    expect(await clockOf(askedAt + afterMs)).toBe(expected);
  });
});

test("a cluster without a recent tick", async () => {
  const { stdout } = await run("gone", () => Date.now() + hourMs);
  expect(stdout).toMatch(
    /FAIL {2}its shards are synced in time: ebb start has ended, so nothing is synced → start it: `ebb start --kubeconfig \S+\/gone --cluster gone --directory /,
  );
});

test("a cluster that is not registered", async () => {
  expect(await run("nowhere")).toMatchObject({
    exitCode: 1,
    stderr:
      'Error from server (NotFound): clusters.ebb.dev "nowhere" not found; the table has bad, gone, here, refused\n',
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { zeroAnnotation } from "../../lib/model/entry/zero-rule";
import { fromItem, type Item } from "../../lib/table/items/attributes";
import type { Ran } from "../cli/run-ebb";
import { tableForTests } from "../cli/table";
import { factsWith, pageOf } from "../cli/explain/explained";
import type { Situation } from "../../lib/model/situation";

/** Situations that ebb once got wrong. Their siblings are in the tests of each part. */
const { run, register, byHand, entries, file, folder } = tableForTests();
const signal = new AbortController().signal;

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly kind?: string;
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly minReplicas?: number;
    readonly metrics?: readonly object[];
  };
}

const pathOf = (name: string) => join(__dirname, name);
const documentsOf = ({ stdout }: Ran) => parseAllDocuments(stdout).map((one) => one.toJS() as Document);
const lastLine = ({ stderr }: Ran) => stderr.trimEnd().split("\n").at(-1);

async function imported(name: string) {
  const ran = await run(["import", "keda", pathOf(name)]);
  const documents = documentsOf(ran).filter((one) => (one as Document | null) !== null);
  const hpas = documents.filter(({ kind }) => kind === "HorizontalPodAutoscaler");
  const sources = documents.filter(({ kind }) => kind === "MetricSource");
  return { ran, hpas, sources, parameters: sources.map(({ spec }) => spec.parameters ?? {}) };
}

const zeroOf = ({ metadata }: Document) => JSON.parse(metadata.annotations?.[zeroAnnotation] ?? "null") as unknown;

/** What of the folder's files is in the table, as text. */
async function appliedTo(cluster: string, name: string): Promise<string> {
  await register(cluster);
  await run(["apply", "--import-keda", "-f", pathOf(name), "--cluster", cluster]);
  return JSON.stringify(await entries().list("MetricSource", { cluster }, signal));
}

const cases: Readonly<Record<string, () => Promise<void>>> = {
  async "cpu-beside-a-trigger-never-zero"() {
    const { hpas, ran } = await imported("cpu-beside-a-trigger-never-zero/scaledobject.yaml");
    expect(hpas.map(zeroOf)).toEqual([{ after: "5s", initialAfter: "5s" }]);
    expect(lastLine(ran)).toBe("1 converted completely");
  },
  async "scale-down-disabled-holds-zero"() {
    const { hpas } = await imported("scale-down-disabled-holds-zero/scaledobject.yaml");
    expect(hpas.map(zeroOf)).toEqual([{ after: "10s", initialAfter: "10s" }]);
  },
  async "keda-zero-beside-cpu-or-memory"() {
    const { hpas } = await imported("keda-zero-beside-cpu-or-memory/so.yaml");
    const [zero] = hpas.map((hpa) => hpa.metadata.annotations?.[zeroAnnotation] ?? "");
    const line = readFileSync(pathOf("keda-zero-beside-cpu-or-memory/idle.jsonl"), "utf8");
    const situation = JSON.parse(line) as Situation;
    const { metadata } = situation.hpa;
    const at = { ...metadata, creationTimestamp: "2026-03-01T11:00:00Z", annotations: { [zeroAnnotation]: zero } };
    const given = await file(JSON.stringify({ ...situation, hpa: { ...situation.hpa, metadata: at } }));
    expect(JSON.parse((await run(["evaluate", given])).stdout)).toMatchObject({ desiredReplicas: 0, scaleTo: 0 });
    expect(JSON.parse((await run(["evaluate", await file(line)])).stdout)).toMatchObject({ desiredReplicas: 1 });
  },
  async "passwords-in-the-table"() {
    for (const name of ["scaledobject.yaml", "userinfo.yaml"]) {
      const { ran, parameters } = await imported(`passwords-in-the-table/${name}`);
      expect(ran.stdout + ran.stderr).not.toContain("s3cret");
      expect(parameters[0]?.["url"]).toMatch(/^https:\/\/(mq\.example:15671|p\.example)$/);
      expect(await appliedTo(`passwords-${name.length}`, `passwords-in-the-table/${name}`)).not.toContain("s3cret");
    }
  },
  async "keda-secret-of-unread-trigger"() {
    const { ran } = await imported("keda-secret-of-unread-trigger/so.yaml");
    expect(lastLine(ran)).toBe("1 held");
    expect(ran.stdout).not.toMatch(/password: |mongodb:\/\//);
    const stored = await appliedTo("unread", "keda-secret-of-unread-trigger/so.yaml");
    expect(stored).not.toMatch(/password|connectionString|mongodb:\/\//);
  },
  async "secret-in-a-url"() {
    const { ran } = await imported("secret-in-a-url/so.yaml");
    expect(ran.stdout).toContain("serverAddress is carried over without its user and password");
    await register("urls");
    for (const args of [["validate"], ["apply", "--cluster", "urls", "-f"]]) {
      const { stderr } = await run([...args, pathOf("secret-in-a-url/source.yaml")]);
      expect(stderr.match(/expected a text without a credential/g)).toHaveLength(3);
    }
    expect(await entries().list("MetricSource", { cluster: "urls" }, signal)).toEqual([]);
  },
  async "source-names-collide"() {
    const { sources } = await imported("source-names-collide/two-namespaces.yaml");
    expect(sources.map(({ metadata }) => metadata.name)).toEqual(["a-b.c.prometheus", "a.b-c.prometheus"]);
  },
  async "keda-names-collide"() {
    const { sources } = await imported("keda-names-collide/so.yaml");
    expect(sources.map(({ metadata }) => metadata.name)).toEqual(["shop-eu.orders.redis", "shop.eu-orders.redis"]);
  },
  async "rabbitmq-path-lost"() {
    const { parameters } = await imported("rabbitmq-path-lost/scaledobjects.yaml");
    expect(parameters.map(({ url, vhost }) => [url, vhost])).toEqual([
      ["http://mq:15672/rabbit", undefined],
      ["http://mq:15672", "/prod"],
      ["https://mq.example/mgmt", undefined],
      ["https://mq.example/mgmt", "shop"],
    ]);
  },
  async "keda-rabbitmq-host-elsewhere"() {
    const { ran, parameters } = await imported("keda-rabbitmq-host-elsewhere/so.yaml");
    expect(parameters).toEqual([{ queue: "orders" }]);
    expect(ran.stderr).toContain("set measure to ready if it is amqp, to messages if it is http");
  },
  async "keda-rabbitmq-credential-over-http"() {
    const { ran } = await imported("keda-rabbitmq-credential-over-http/so.yaml");
    expect(ran.stdout).toContain("has a credential and http://mq.shop:15672: ebb sends one over TLS only");
  },
  async "in-cluster-addresses"() {
    const { ran, parameters } = await imported("in-cluster-addresses/scaledobject.yaml");
    expect(parameters.map(({ via }) => via)).toEqual([
      { namespace: "monitoring", service: "prometheus-server", port: 9090 },
      { namespace: "shop", service: "redis", port: 6379 },
      { namespace: "shop", service: "kafka", port: 9092 },
      undefined,
      undefined,
    ]);
    expect(ran.stderr).toContain("has the host stats.shop: if that is a Service of the cluster, name it in via");
  },
  async "keda-note-of-no-loss"() {
    const { ran } = await imported("keda-note-of-no-loss/so.yaml");
    expect(ran.stdout).toContain("# no difference without spec.triggers[0].metadata.metricName\n");
    expect(ran.stdout).not.toContain("replicas");
    expect(lastLine(ran)).toBe("1 converted completely");
  },
  async "keda-nan"() {
    const { ran } = await imported("keda-nan/so.yaml");
    expect([ran.exitCode, ran.stdout, lastLine(ran)]).toEqual([1, "", "1 refused"]);
    expect(ran.stderr).toContain('spec.minReplicaCount: expected a whole number, got "<MIN>"');
    expect(ran.stderr).not.toContain("NaN");
  },
  async "keda-no-triggers"() {
    const { ran } = await imported("keda-no-triggers/so.yaml");
    expect([ran.exitCode, ran.stdout, lastLine(ran)]).toEqual([1, "", "1 refused"]);
    expect(ran.stderr).toContain("spec.triggers: expected at least one trigger, got none");
  },
  async "keda-1"() {
    const { ran } = await imported("keda-1/so.yaml");
    expect([ran.exitCode, ran.stdout, lastLine(ran)]).toEqual([1, "", "1 refused"]);
    await register("keda-1");
    const applied = await run(["apply", "--import-keda", "-f", pathOf("keda-1/so.yaml"), "--cluster", "keda-1"]);
    expect(applied.exitCode).toBe(1);
    for (const { stderr } of [ran, applied]) expect(stderr).toContain("is of KEDA 1 (keda.k8s.io)");
  },
  async "import-prints-what-apply-refuses"() {
    const { ran } = await imported("import-prints-what-apply-refuses/so.yaml");
    expect([ran.exitCode, lastLine(ran)]).toEqual([1, "2 refused"]);
    const { stderr } = await run(["validate", await file(ran.stdout)]);
    const words = stderr
      .trimEnd()
      .split("\n")
      .map((line) => line.replace(/^.*: (?=expected )/, ""));
    expect(words.filter((text) => !ran.stderr.includes(text))).toEqual([]);
  },
  async "json-documents-in-a-row"() {
    const { stdout } = await run(["validate", pathOf("json-documents-in-a-row/hpas.jsonl")]);
    expect(stdout.match(/ valid$/gm)).toHaveLength(2);
  },
  async "list-of-the-api"() {
    const { stdout } = await run(["validate", pathOf("list-of-the-api/list.json")]);
    expect(stdout.match(/ valid$/gm)).toHaveLength(2);
    expect((await imported("list-of-the-api/scaledobjects.yaml")).hpas).toHaveLength(1);
  },
  async "init-forms-of-eks"() {
    for (const name of ["aws-iam-authenticator", "equals-sign"]) {
      const kubeconfig = pathOf(`init-forms-of-eks/${name}.yaml`);
      const { stderr } = await run(["init", join(folder(), name), "--from-kubeconfig", "--kubeconfig", kubeconfig]);
      expect(stderr).toContain("create-access-entry --region eu-central-1 --cluster-name shop-prod");
    }
  },
  async "init-drops-proxy-url"() {
    const kubeconfig = pathOf("init-drops-proxy-url/kubeconfig");
    const ran = await run(["init", join(folder(), "proxy"), "--from-kubeconfig", "--kubeconfig", kubeconfig]);
    expect([ran.exitCode, ran.stderr.trimEnd()]).toEqual([
      1,
      `error: ${kubeconfig}: context x: proxy-url is not supported`,
    ]);
  },
  async "item-with-another-name"() {
    const item = JSON.parse(readFileSync(pathOf("item-with-another-name/item.json"), "utf8")) as Item;
    await register("demo");
    await byHand(fromItem(item));
    const [get, doctor] = [await run(["get", "hpa", "-n", "shop", "--cluster", "demo"]), await run(["doctor", "demo"])];
    const problem = 'expected the name "shop/web" as in the sort key, got "shop/other"';
    expect(get.stdout).toContain(problem);
    expect(doctor.stdout).toContain(`HPA shop/web is valid: metadata: ${problem}`);
    expect(doctor.stdout).not.toContain("hpa other");
  },
  async "slow-source-starves-its-hpa"() {
    const { stderr } = await run(["validate", pathOf("slow-source-starves-its-hpa/entries.yaml")]);
    expect(stderr).toContain(
      "expected timeoutSeconds of at most 7.5, half of the cluster's sync period of 15 s, got 10",
    );
  },
  "rollout-surge-drift"() {
    const line = readFileSync(pathOf("rollout-surge-drift/situation.jsonl"), "utf8");
    const { hpa, scale, metrics } = JSON.parse(line) as Situation;
    const page = pageOf(factsWith({ hpa, scale, metrics }));
    expect(page).toContain("asks for 21, within tolerance, for the 21 pods that the target reports");
    expect(page).not.toContain("above target");
    return Promise.resolve();
  },
};

test.each(Object.keys(cases))("%s", async (name) => {
  await cases[name]?.();
});

/** Cases that need more than a command. */
const elsewhere: Readonly<Record<string, readonly [file: string, title: string]>> = {
  "handover-at-zero": ["test/sync/adopt-zero.test.ts", "an adopted zero wakes, with the next wake"],
  "schedule-spring-gap": ["test/sources/schedule/clock-changes.property.test.ts", "a window that spring skips"],
  "negative-value-scales-to-max": ["test/core/totals.test.ts", "a value below zero of ebb's own source"],
  "redis-phantom-lag": ["test/e2e/redis.test.ts", "a stream that is trimmed while its group lags"],
  "prometheus-partial-empty-is-zero": ["test/sources/prometheus/prometheus.test.ts", "by isPartial and warnings"],
  "slow-source-starves-its-hpa": ["test/sync/hanging-metrics.test.ts", "a metric that hangs is unavailable"],
  "two-commands-at-once": ["test/e2e/local-directory.test.ts", "eight commands at once on a stopped table"],
  "utf-16-of-powershell": ["test/cli/input-forms.test.ts", "UTF-16 of PowerShell"],
};

test.each(Object.entries(elsewhere))("%s has its test", (_, [path, title]) => {
  expect(readFileSync(join(__dirname, "../..", path), "utf8")).toContain(title);
});

test("each folder is a case", () => {
  const folders = readdirSync(__dirname, { withFileTypes: true }).filter((one) => one.isDirectory());
  const known = [...Object.keys(cases), ...Object.keys(elsewhere)];
  expect(folders.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
  expect(new Set(known).size).toBe(31);
});

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { descriptions } from "../../lib/sources/descriptions";
import { type KindName, sourceKinds } from "../../lib/sources/registry";
import { checkDocument } from "../../cli/write/documents/check-document";
import { openInEditor } from "./editor";
import { ebb } from "./run-ebb";

const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const ca = Buffer.from(pem).toString("base64");
const files = ["cluster.yaml", "hpa-cpu.yaml", "hpa-queue.yaml", "source.yaml"];

let folder: string;
let dir: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ebb-init-"));
  dir = join(folder, "ebb");
});

afterEach(() => rm(folder, { recursive: true }));

const read = (name: string) => readFile(join(dir, name), "utf8");
const clusterSpec = async () => (parse(await read("cluster.yaml")) as { spec: unknown }).spec;

const exec = (...args: readonly string[]) => ({
  exec: { apiVersion: "client.authentication.k8s.io/v1beta1", command: "aws", args },
});

async function writeKubeconfig(user: object, cluster: object = {}): Promise<string> {
  const path = join(folder, "kubeconfig");
  const document = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "arn:aws:eks:eu-west-1:123456789012:cluster/shop",
    contexts: [
      { name: "arn:aws:eks:eu-west-1:123456789012:cluster/shop", context: { cluster: "c", user: "u" } },
      { name: "other", context: { cluster: "gone", user: "u" } },
    ],
    clusters: [
      {
        name: "c",
        cluster: {
          server: "https://ABC.gr7.eu-west-1.eks.amazonaws.com",
          "certificate-authority-data": ca,
          ...cluster,
        },
      },
    ],
    users: [{ name: "u", user }],
  };
  await writeFile(path, JSON.stringify(document));
  return path;
}

describe("the files of ebb init", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["of an EKS cluster", ["--eks", "prod", "--region", "eu-central-1"], []],
    ["of any other cluster", ["--cluster", "on-prem", "-n", "shop"], ["service-account.yaml"]],
    ["of a cluster whose name needs quotes", ["--cluster", "1.30", "--eks", "yes", "--region", "eu-central-1"], []],
  ])("%s are valid documents, and an editor finds no errors", async (_name, options, more) => {
    const { exitCode, stdout } = await ebb(["init", dir, ...options]);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: ["cluster.yaml", "hpa-queue.yaml", "hpa-cpu.yaml", "source.yaml", ...more]
        .map((name) => `${join(dir, name)} created\n`)
        .join(""),
    });
    expect((await readdir(dir)).filter((name) => name.endsWith(".yaml")).sort()).toEqual([...files, ...more].sort());
    for (const name of files) {
      expect(checkDocument(parse(await read(name)), "default")).toHaveProperty("checked");
      expect(await (await openInEditor(join(dir, name))).diagnostics()).toEqual([]);
    }
  });

  test.each(Object.keys(sourceKinds) as KindName[])("of --source %s scale by an example of it", async (kind) => {
    const { exitCode, stdout } = await ebb(["init", dir, "--cluster", "on-prem", "--source", kind]);
    expect({ exitCode, names: stdout.match(/[\w-]+\.yaml/g) }).toEqual({
      exitCode: 0,
      names: ["cluster.yaml", "hpa-queue.yaml", "hpa-cpu.yaml", "source.yaml", "service-account.yaml"],
    });
    const { example, fields, averageValue = "5" } = descriptions[kind];
    const source = await read("source.yaml");
    expect(parse(source)).toMatchObject({ metadata: { name: "work" }, spec: { kind, parameters: example } });
    const external = { metric: { name: "work" }, target: { type: "AverageValue", averageValue } };
    expect(parse(await read("hpa-queue.yaml"))).toMatchObject({ spec: { metrics: [{ type: "External", external }] } });
    // Each parameter of the example has its description above it, and every other is named.
    const lines = source.slice(source.indexOf("parameters:")).split("\n");
    for (const name of Object.keys(example)) {
      const index = lines.findIndex((line) => line.startsWith(`    ${name}:`));
      expect(lines[index - 1]).toMatch(/^ {4}# \S.{10,}/);
    }
    const others = Object.keys(fields).filter((name) => !(name in example) && fields[name]?.type !== "named");
    expect(lines).toContain(`    # Others: ${others.join(", ")}.`);
    for (const name of ["source.yaml", "hpa-queue.yaml"]) {
      expect(checkDocument(parse(await read(name)), "default")).toHaveProperty("checked");
      expect(await (await openInEditor(join(dir, name))).diagnostics()).toEqual([]);
    }
  });

  test("of an unknown kind are not written", async () => {
    const { exitCode, stderr } = await ebb(["init", dir, "--source", "nats"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("Allowed choices are sqs, cloudwatch, ");
    await expect(readdir(dir)).rejects.toThrow("ENOENT");
  });

  test.each<[string, string, (text: string) => string, readonly string[]]>([
    [
      "a misspelt option",
      "cluster.yaml",
      (text) => `${text}  options: {tolerence: 0.2}\n`,
      ["24: Property tolerence is not allowed."],
    ],
    [
      "a number as text",
      "hpa-cpu.yaml",
      (text) => text.replace("maxReplicas: 10", 'maxReplicas: "10"'),
      ["20: Expected a whole number, 1 or more."],
    ],
    [
      "a scale to zero without a metric that allows it",
      "hpa-cpu.yaml",
      (text) => text.replace("minReplicas: 2", "minReplicas: 0"),
      ["22: Array does not contain required item."],
    ],
    [
      "an invalid region",
      "source.yaml",
      (text) => `${text}    region: Frankfurt\n`,
      ["21: Expected an AWS region such as eu-west-1."],
    ],
  ])("an editor underlines %s", async (_name, file, change, expected) => {
    await ebb(["init", dir]);
    const open = await openInEditor(join(dir, file), change(await read(file)));
    expect(await open.diagnostics()).toEqual(expected);
  });

  test.each<[string, string, (text: string) => string, readonly string[]]>([
    ["of a cluster", "cluster.yaml", (text) => `${text}  options:\n    |\n`, ["syncPeriodSeconds", "tolerance"]],
    ["of a behavior", "hpa-queue.yaml", (text) => `${text}    scaleUp:\n      |\n`, ["selectPolicy", "policies"]],
    ["of a source's parameters", "source.yaml", (text) => `${text}    |\n`, ["region", "absent", "periods"]],
  ])("an editor offers the fields %s", async (_name, file, change, expected) => {
    await ebb(["init", dir]);
    const open = await openInEditor(join(dir, file), change(await read(file)));
    expect(await open.offers()).toEqual(expect.arrayContaining([...expected]));
  });

  test("an editor shows what a field means", async () => {
    await ebb(["init", dir]);
    const open = await openInEditor(join(dir, "hpa-queue.yaml"));
    expect(await open.help("stabilizationWindowSeconds:")).toContain("How far back past recommendations count");
  });

  test("are never overwritten without --force", async () => {
    await ebb(["init", dir]);
    await writeFile(join(dir, "source.yaml"), "mine");
    await rm(join(dir, "cluster.yaml"));
    const { exitCode, stderr } = await ebb(["init", dir]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `error: ${join(dir, "hpa-queue.yaml")} already exists: --force overwrites it\n`,
    });
    expect(await read("source.yaml")).toBe("mine");
    expect(await readdir(dir)).not.toContain("cluster.yaml");
    expect((await ebb(["init", dir, "--force"])).exitCode).toBe(0);
    expect(await read("source.yaml")).toContain("queue-age");
  });

  test("the next steps go to stderr, with what is left to fill in", async () => {
    const { stderr } = await ebb(["init", dir, "--eks", "prod", "--region", "eu-central-1"]);
    expect(stderr).toContain(
      `1. Fill in spec.endpoint and spec.certificateAuthorityData in ${join(dir, "cluster.yaml")}`,
    );
    expect(stderr).toContain("ebb doctor prod");
  });
});

describe("ebb init --from-kubeconfig", () => {
  // Large, so compiling it the first time takes longer than a test may.
  beforeAll(() => import("@kubernetes/client-node/dist/config.js"), 60_000);

  const eksUser = exec("--region", "eu-west-1", "eks", "get-token", "--cluster-name", "shop", "--output", "json");
  const endpoint = "https://ABC.gr7.eu-west-1.eks.amazonaws.com";

  test.each<[string, object, object, object]>([
    ["an EKS user", eksUser, {}, { type: "eks", clusterName: "shop", region: "eu-west-1" }],
    [
      "an EKS user whose region is only in the endpoint",
      exec("eks", "get-token", "--cluster-name", "shop"),
      {},
      { type: "eks", clusterName: "shop", region: "eu-west-1" },
    ],
    [
      "an EKS user with an equals sign, and a role",
      exec(
        "eks",
        "get-token",
        "--cluster-name=shop",
        "--region=eu-central-1",
        "--role-arn=arn:aws:iam::123456789012:role/d",
      ),
      {},
      { type: "eks", clusterName: "shop", region: "eu-central-1", roleArn: "arn:aws:iam::123456789012:role/d" },
    ],
    [
      "an EKS user of an Outpost",
      exec("eks", "get-token", "--cluster-id", "0f-12", "--role-arn", "arn:aws:iam::123456789012:role/d"),
      {},
      { type: "eks", clusterName: "0f-12", region: "eu-west-1", roleArn: "arn:aws:iam::123456789012:role/d" },
    ],
    [
      "an EKS user whose cluster's name is a number",
      { exec: { ...eksUser.exec, args: ["eks", "get-token", "--cluster-name", 1234] } },
      {},
      { type: "eks", clusterName: "1234", region: "eu-west-1" },
    ],
    [
      "an EKS user of aws-iam-authenticator",
      {
        exec: {
          ...exec("token", "-i", "shop", "-r", "arn:aws:iam::123456789012:role/d").exec,
          command: "aws-iam-authenticator",
        },
      },
      {},
      { type: "eks", clusterName: "shop", region: "eu-west-1", roleArn: "arn:aws:iam::123456789012:role/d" },
    ],
    [
      "an EKS user of heptio-authenticator-aws",
      { exec: { ...exec("token", "--cluster-id=shop").exec, command: "/usr/local/bin/heptio-authenticator-aws" } },
      {},
      { type: "eks", clusterName: "shop", region: "eu-west-1" },
    ],
    ["a token, which stays where it is", { token: "secret-token" }, {}, { type: "token", secret: "ebb/prod" }],
    [
      "a client certificate, which stays where it is",
      { "client-certificate-data": ca, "client-key-data": ca },
      { "tls-server-name": "kubernetes" },
      { type: "clientCertificate", secret: "ebb/prod" },
    ],
  ])("takes endpoint and CA of %s", async (_name, user, cluster, auth) => {
    const kubeconfig = await writeKubeconfig(user, cluster);
    const options = ["--from-kubeconfig", "--cluster", "prod"];
    const { exitCode, stderr } = await ebb(["init", dir, ...options], { env: { KUBECONFIG: kubeconfig } });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining("Fill in") as string });
    expect(await clusterSpec()).toEqual({
      endpoint,
      certificateAuthorityData: ca,
      ...("tls-server-name" in cluster && { tlsServerName: "kubernetes" }),
      auth,
    });
    for (const name of files) {
      expect(await read(name)).not.toContain("secret-token");
      expect(await (await openInEditor(join(dir, name))).diagnostics()).toEqual([]);
    }
  });

  test("calls the cluster as EKS does, and reads a CA from its file", async () => {
    await writeFile(join(folder, "ca.pem"), pem);
    const kubeconfig = await writeKubeconfig(eksUser, {
      "certificate-authority-data": undefined,
      "certificate-authority": "ca.pem",
    });
    await ebb(["init", dir, "--kubeconfig", kubeconfig]);
    expect(await clusterSpec()).toMatchObject({ endpoint, certificateAuthorityData: ca });
    expect(await read("cluster.yaml")).toContain("\n  name: shop\n");
    expect(await read("hpa-queue.yaml")).toContain("ebb.dev/cluster: shop\n");
  });

  test.each<[string, readonly string[], object, string]>([
    ["a context that is not there", ["--from-kubeconfig", "prod"], {}, 'no context "prod"; it has arn:aws:'],
    [
      "a context without its cluster",
      ["--from-kubeconfig", "other"],
      {},
      "context other names a cluster that the kubeconfig does not have",
    ],
    ["TLS that is not verified", [], { "insecure-skip-tls-verify": true }, "insecure-skip-tls-verify is not supported"],
    ["a proxy", [], { "proxy-url": "socks5://proxy.example:1080" }, "proxy-url is not supported"],
    ["a server in the clear", [], { server: "http://a.example" }, "spec.endpoint: expected https://host"],
  ])("refuses %s, and writes nothing", async (_name, options, cluster, expected) => {
    const kubeconfig = await writeKubeconfig(eksUser, cluster);
    const { exitCode, stderr } = await ebb(["init", dir, "--kubeconfig", kubeconfig, ...options]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining(expected) as string });
    expect(await readdir(folder)).not.toContain("ebb");
  });

  test("an EKS user whose region only its environment has", async () => {
    const [command, args] = ["aws-iam-authenticator", ["token", "-i", "shop"]];
    const env = [{ name: "AWS_DEFAULT_REGION", value: "eu-central-1" }];
    const user = { exec: { apiVersion: "client.authentication.k8s.io/v1beta1", command, args, env } };
    const kubeconfig = await writeKubeconfig(user, { server: "https://10.1.2.3:6443" });
    await ebb(["init", dir, "--kubeconfig", kubeconfig]);
    expect(await clusterSpec()).toMatchObject({ auth: { type: "eks", clusterName: "shop", region: "eu-central-1" } });
  });

  test.each<[string, object, string | undefined]>([
    ["https://127.0.0.1:6443", { token: "t" }, "is this machine: no function reaches it"],
    ["https://localhost:6443", { token: "t" }, "is this machine: no function reaches it"],
    ["https://[::1]:6443", { token: "t" }, "is this machine: no function reaches it"],
    [endpoint, { token: "t" }, "looks like EKS: give --eks NAME"],
    [endpoint, exec("eks", "get-token", "--cluster-name", "shop"), undefined],
    ["https://10.1.2.3:6443", { token: "t" }, undefined],
  ])("hints at an endpoint that does not work as it is: %s", async (server, user, expected) => {
    const kubeconfig = await writeKubeconfig(user, { server });
    const { exitCode, stderr } = await ebb(["init", dir, "--kubeconfig", kubeconfig]);
    expect(exitCode).toBe(0);
    if (expected === undefined) expect(stderr).not.toMatch(/this machine|looks like/);
    else expect(stderr).toContain(expected);
  });

  test("takes a path for the kubeconfig, unless it is the name of a context", async () => {
    const kubeconfig = await writeKubeconfig(eksUser, {});
    const elsewhere = { env: { HOME: folder } };
    const { exitCode } = await ebb(["init", dir, "--from-kubeconfig", kubeconfig], elsewhere);
    expect(exitCode).toBe(0);
    expect(await clusterSpec()).toMatchObject({ endpoint });
    const both = { env: { KUBECONFIG: kubeconfig } };
    const { stderr } = await ebb(["init", dir, "--force", `--from-kubeconfig=${dir}`], both);
    expect(stderr).toContain(`got the folder ${dir}: name it first, as in \`ebb init ${dir} --from-kubeconfig\``);
    const nowhere = await ebb(["init", dir, "--force", "--from-kubeconfig", "nowhere"], both);
    expect(nowhere.stderr).toContain('no context "nowhere"; it has arn:aws:');
  });

  test("reports a missing kubeconfig", async () => {
    const { exitCode, stderr } = await ebb(["init", dir, "--from-kubeconfig"], { env: { HOME: folder } });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining(`${join(folder, ".kube", "config")}: expected a kubeconfig: `) as string,
    });
  });
});

test("an EKS cluster needs its region", async () => {
  const { exitCode, stderr } = await ebb(["init", dir, "--eks", "prod"]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: "error: --eks needs --region, the region of the EKS cluster\n",
  });
});

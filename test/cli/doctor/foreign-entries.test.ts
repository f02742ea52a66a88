import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClusterSpec } from "../../../lib/model/entry/entries";
import { putCluster, putHpa } from "../../../local/entries";
import { kubeconfigOf } from "../../../local/backends/kubernetes/certificates";
import { canary } from "../../canaries/canary";
import { planted } from "../../canaries/watch-writes";
import { aggregated, json, startServer, type TestServer } from "../../cluster/api-server";
import { base64, makeCertificates } from "../../cluster/certificates";
import { boundSecret } from "../../cluster/connect";
import { hpaWith } from "../../core/build";
import { ebb } from "../run-ebb";
import { tableForTests } from "../table";

/**
 * A person with rights for everything runs ebb's command on a table in which somebody else wrote entries. None of the
 * person's credentials goes to that somebody, and nothing of theirs runs.
 */
jest.setTimeout(120_000);
const { table, folder } = tableForTests();
const before = { ...process.env };
const secrets: Record<string, string> = {};
let aws: TestServer;
let attacker: TestServer;
let own: TestServer;
let ca: string;

beforeAll(async () => {
  const certificates = await makeCertificates();
  ca = base64(certificates.ca);
  aws = await startServer(({ body, url }, response) => {
    const { SecretId = "", Name = "" } = (body.startsWith("{") ? JSON.parse(body) : {}) as Record<string, string>;
    if (url.startsWith("/clusters/")) {
      // What AWS says about the EKS cluster that the entry names: it is elsewhere.
      return json(response, 200, { cluster: { endpoint: own.url, certificateAuthority: { data: ca }, tags: {} } });
    }
    const text = secrets[SecretId] ?? secrets[Name];
    if (text === undefined) return json(response, 400, { __type: "ResourceNotFoundException", message: "none" });
    json(response, 200, SecretId === "" ? { Parameter: { Value: text } } : { SecretString: text });
  });
  const answer: TestServer["reply"] = ({ url }, response) => {
    if (url.startsWith("/apis") && !url.includes("selfsubject")) return json(response, 200, aggregated);
    json(response, 201, { kind: "SelfSubjectAccessReview", status: { allowed: true } });
  };
  attacker = await startServer(answer, certificates.server);
  own = await startServer(answer, certificates.server);
  secrets["ebb/prod"] = boundSecret({ endpoint: own.url, certificateAuthorityData: ca }, { token: canary("prod") });
  secrets["/ebb/prod"] = secrets["ebb/prod"];
  for (const name of ["elsewhere", "itself"])
    secrets[`ebb/${name}`] = boundSecret({ endpoint: own.url, certificateAuthorityData: ca }, { token: canary(name) });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "PERSON",
    AWS_SECRET_ACCESS_KEY: canary("person"),
    AWS_SESSION_TOKEN: canary("session"),
  });
  await writeKubeconfigs();
  await writeEntries();
});
afterAll(async () => {
  process.env = { ...before };
  await Promise.all([aws.stop(), attacker.stop(), own.stop()]);
});
afterEach(() => {
  for (const { received } of [aws, attacker, own]) received.splice(0);
});

const mine = () => join(folder(), "mine");
const theirs = () => join(folder(), "theirs");
const ran = () => join(folder(), "ran");

async function writeKubeconfigs(): Promise<void> {
  planted(mine());
  const names = { name: "c", user: "u", namespace: "default" };
  const text = kubeconfigOf({ ...names, endpoint: own.url, certificateAuthorityData: ca, token: canary("mine") });
  await writeFile(mine(), text);
  const args = ["-e", `require("fs").writeFileSync(${JSON.stringify(ran())}, "")`];
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: process.execPath, args };
  await writeFile(
    theirs(),
    JSON.stringify({
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: attacker.url, "certificate-authority-data": ca } }],
      users: [{ name: "u", user: { exec } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    }),
  );
}

async function writeEntries(): Promise<void> {
  const there = { endpoint: attacker.url, certificateAuthorityData: ca };
  const entries: Record<string, ClusterSpec> = {
    "another-secret": { ...there, auth: { type: "token", secret: "ebb/prod" } },
    "another-parameter": { ...there, auth: { type: "token", secret: "ssm:/ebb/prod" } },
    "another-kubeconfig-secret": { auth: { type: "kubeconfig", secret: "ebb/prod" } },
    elsewhere: { ...there, auth: { type: "token", secret: "ebb/elsewhere" } },
    "my-kubeconfig": { ...there, auth: { type: "kubeconfig", file: mine() } },
    "their-kubeconfig": { auth: { type: "kubeconfig", file: theirs() } },
    "an-eks-cluster": { ...there, auth: { type: "eks", clusterName: "an-eks-cluster", region: "eu-central-1" } },
    itself: { endpoint: own.url, certificateAuthorityData: ca, auth: { type: "token", secret: "ebb/itself" } },
  };
  for (const [name, spec] of Object.entries(entries)) {
    await putCluster(table(), name, spec);
    // Only a cluster can say what this kind is, so `ebb rbac` connects, too.
    const scaleTargetRef = { apiVersion: "example.com/v1", kind: "Worker", name: "w" };
    await putHpa(table(), name, hpaWith({ scaleTargetRef }));
  }
}

const run = (...args: readonly string[]) =>
  ebb([...args, "--directory", folder()], { table: table(), env: { KUBECONFIG: mine() } });

/** Every secret that the command asked AWS for. */
const readSecrets = () =>
  aws.received
    .flatMap(({ body }) => (body.startsWith("{") ? [body] : []))
    .map((body) => {
      const { SecretId, Name } = JSON.parse(body) as Record<string, string>;
      return SecretId ?? Name;
    });

test.each<[string, RegExp]>([
  ["another-secret", /a cluster uses only secrets named for it/],
  ["another-parameter", /a cluster uses only secrets named for it/],
  ["another-kubeconfig-secret", /a cluster uses only secrets named for it/],
  ["elsewhere", /spec\.endpoint: expected the one of auth\.secret ebb\/elsewhere, got another/],
  ["my-kubeconfig", /spec\.endpoint: expected nothing, or the same as in the kubeconfig of auth\.file/],
  ["their-kubeconfig", /expected the kubeconfig that this run was started with/],
  ["an-eks-cluster", /spec\.endpoint: expected the one of EKS cluster an-eks-cluster .*, got another/],
])("ebb doctor and ebb rbac on %s: refused, nothing is sent there, nothing runs", async (cluster, says) => {
  const doctor = await run("doctor", cluster);
  expect(doctor.stdout + doctor.stderr).toMatch(says);
  await run("rbac", cluster);
  expect(attacker.received).toEqual([]);
  expect(readSecrets().filter((name) => name !== `ebb/${cluster}`)).toEqual([]);
  expect(existsSync(ran())).toBe(false);
});

test("ebb status and ebb get, which look at all clusters: the same", async () => {
  await run("status");
  await run("get", "clusters");
  expect(attacker.received).toEqual([]);
  expect(readSecrets()).not.toContain("ebb/prod");
  expect(existsSync(ran())).toBe(false);
});

test("an entry's own credential goes to its own server, also on loopback, and nowhere else", async () => {
  const { stdout } = await run("doctor", "itself");
  expect(stdout).toMatch(/ok {4}connects to https:\/\/127\.0\.0\.1/);
  expect(own.received.map(({ headers }) => headers.authorization)).toContain(`Bearer ${canary("itself")}`);
  expect(own.received.filter(({ headers }) => JSON.stringify(headers).includes(canary("person")))).toEqual([]);
});

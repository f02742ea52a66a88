import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { ClusterSpec } from "../../../lib/model/entry/entries";
import { putCluster } from "../../../local/entries";
import { kubeconfigOf } from "../../../local/backends/kubernetes/certificates";
import { canary } from "../../canaries/canary";
import { planted } from "../../canaries/watch-writes";
import { aggregated, json, startServer, type TestServer } from "../../cluster/api-server";
import { base64, makeCertificates } from "../../cluster/certificates";
import { ebb } from "../run-ebb";
import { tableForTests } from "../table";

/**
 * What is certainly wrong is FAIL, with a way to fix it. What another caller may well be able to do is "not checked",
 * with a way to know it.
 */
jest.setTimeout(120_000);
const { table, folder, byHand } = tableForTests();
const before = { ...process.env };
let aws: TestServer;
/** What AWS answers. */
let answer: { readonly status: number; readonly type?: string; readonly body?: object } = { status: 200 };
let server: TestServer;
/** What the API server answers to a request for what everybody may do. */
let refused = (_url: string): number | undefined => undefined;
let ca: string;

beforeAll(async () => {
  const certificates = await makeCertificates();
  ca = base64(certificates.ca);
  aws = await startServer((_, response) => {
    const { status, type = "", body = {} } = answer;
    response.setHeader("x-amzn-errortype", type);
    json(response, status, status === 200 ? body : { __type: type, message: "as AWS says it" });
  });
  server = await startServer(({ url }, response) => {
    const status = refused(url);
    if (status !== undefined) return json(response, status, { kind: "Status", message: `refused: ${url}` });
    if (url.startsWith("/apis") && !url.includes("selfsubject")) return json(response, 200, aggregated);
    json(response, 201, { kind: "SelfSubjectAccessReview", status: { allowed: true } });
  }, certificates.server);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "PERSON",
    AWS_SECRET_ACCESS_KEY: canary("certain"),
    AWS_MAX_ATTEMPTS: "1",
  });
});
afterAll(async () => {
  process.env = { ...before };
  await Promise.all([aws.stop(), server.stop()]);
});
beforeEach(() => {
  answer = { status: 200 };
  refused = () => undefined;
});

let clusters = 0;
const run = (name: string, env: Readonly<Record<string, string>> = {}) =>
  ebb(["doctor", name, "--directory", folder()], { table: table(), env });

/** What doctor says of the connection to a cluster with this auth. */
async function examine(auth: (name: string) => ClusterSpec["auth"], env?: Readonly<Record<string, string>>) {
  const name = `c${++clusters}`;
  const own = auth(name);
  const address = own.type === "kubeconfig" ? {} : { endpoint: server.url, certificateAuthorityData: ca };
  await putCluster(table(), name, { ...address, auth: own });
  const ran = await run(name, env);
  const status = await ebb(["status", "--cluster", name, "--directory", folder()], {
    table: table(),
    ...(env && { env }),
  });
  const [line = ""] = ran.stdout.split("\n").filter((one) => one.includes(" connects to "));
  return { ...ran, name, line, status: status.stdout };
}

const token = (name: string) => ({ type: "token", secret: `ebb/${name}` }) as const;
const parameter = (name: string) => ({ type: "token", secret: `ssm:/ebb/${name}` }) as const;
const eks = (name: string) => ({ type: "eks", clusterName: name, region: "eu-central-1" }) as const;
const why = "whether the functions can, their last syncs say: `ebb status --cluster";

test.each<[string, (name: string) => ClusterSpec["auth"], typeof answer, RegExp]>([
  [
    "a secret that does not exist",
    token,
    { status: 400, type: "ResourceNotFoundException" },
    /: secret ebb\/(c\d+): ResourceNotFoundException: as AWS says it → write .*, then create it: `aws secretsmanager create-secret --name ebb\/\1 --secret-string file:\/\/secret\.json.*`; or name the secret that there is: `ebb edit cluster \1 --directory .*`$/,
  ],
  [
    "a parameter that does not exist",
    parameter,
    { status: 400, type: "ParameterNotFound" },
    /→ write .*, then create it: `aws ssm put-parameter --name \/ebb\/(c\d+) --type SecureString --overwrite --value file:\/\/secret\.json.*`; or name the secret that there is: `ebb edit cluster \1 /,
  ],
  [
    "a secret that is about to be deleted",
    token,
    { status: 400, type: "InvalidRequestException" },
    /InvalidRequestException: as AWS says it → write .*, then store it: `aws secretsmanager put-secret-value --secret-id ebb\/(c\d+) --secret-string file:\/\/secret\.json.*` \(before that, if it is about to be deleted: `aws secretsmanager restore-secret --secret-id ebb\/\1.*`\); or correct the entry: `ebb edit cluster \1 /,
  ],
  [
    "a secret that holds something else",
    token,
    { status: 200, body: { SecretString: "nothing of the kind" } },
    /expected JSON .* → write .*: `aws secretsmanager put-secret-value --secret-id ebb\/c\d+ /,
  ],
  [
    "a parameter without a value",
    parameter,
    { status: 200, body: {} },
    /expected a value, got an empty one → write .*: `aws ssm put-parameter --name \/ebb\/c\d+ /,
  ],
  [
    "an EKS cluster that does not exist",
    eks,
    { status: 404, type: "ResourceNotFoundException" },
    /not found by eks:DescribeCluster .* → see which EKS clusters there are \(`aws eks list-clusters --region eu-central-1`\), then correct clusterName or region: `ebb edit cluster c\d+ /,
  ],
])("%s: FAIL, with what ends it, and the exit code is 1", async (_, auth, given, line) => {
  answer = given;
  const ran = await examine(auth);
  expect(ran.line).toMatch(/^ {2}FAIL {2}connects to /);
  expect(ran.line).toMatch(line);
  expect(ran.exitCode).toBe(1);
  expect(ran.stderr).toMatch(/^1 thing needs attention; 1 not yet due \(\.\.\)\.\n$/);
  expect(ran.status).toMatch(new RegExp(`^${ran.name} .* no: `, "m"));
});

test.each<[string, (name: string) => ClusterSpec["auth"], typeof answer, RegExp]>([
  [
    "a secret that this user may not read",
    token,
    { status: 400, type: "AccessDeniedException" },
    /AccessDeniedException: as AWS says it → choose credentials that have this right, with --profile; /,
  ],
  [
    "a parameter that this user may not decrypt",
    parameter,
    { status: 400, type: "KMSAccessDeniedException" },
    /→ choose credentials that have this right, with --profile; /,
  ],
  [
    "credentials that have expired",
    token,
    { status: 400, type: "ExpiredTokenException" },
    /→ choose AWS credentials that are valid, with --profile \(`aws sts get-caller-identity/,
  ],
  [
    "a service that is out of order",
    token,
    { status: 503 },
    /→ check this machine's connection to AWS, then ask again: `ebb doctor c\d+ /,
  ],
  [
    "an EKS cluster that this user may not look at",
    eks,
    { status: 403, type: "AccessDeniedException" },
    /access denied, the role needs eks:DescribeCluster .* → choose credentials that have this right, with --profile; /,
  ],
])("%s: not checked, with how to know it, and counted", async (_, auth, given, line) => {
  answer = given;
  const ran = await examine(auth);
  expect(ran.line).toMatch(/^ {2}-- {4}connects to .*: not checked: /);
  expect(ran.line).toMatch(line);
  expect(ran.line).toContain(`${why} ${ran.name}`);
  expect(ran.exitCode).toBe(0);
  expect(ran.stderr).toBe("All that was checked is well; 1 not checked (--), 1 not yet due (..).\n");
  expect(ran.status).toMatch(new RegExp(`^${ran.name} .* not checked: `, "m"));
});

describe("an EKS cluster that knows the functions' role, and not this user", () => {
  const describe = (name: string) => {
    answer = { status: 200, body: { cluster: { endpoint: server.url, certificateAuthority: { data: ca }, tags: {} } } };
    refused = () => 401;
    return eks(name);
  };

  test("is not checked", async () => {
    const { line, exitCode } = await examine(describe);
    expect(line).toMatch(/-- {4}connects to .*: not checked: refused: .* → let the role that ebb uses here in, /);
    expect(exitCode).toBe(0);
  });
});

test("a kubeconfig that nobody named: with the command that names it, which then connects", async () => {
  const file = join(folder(), "named");
  planted(file);
  const access = { name: "c", user: "u", namespace: "default", endpoint: server.url, certificateAuthorityData: ca };
  await writeFile(file, kubeconfigOf({ ...access, token: canary("named") }));
  const { name, line } = await examine(() => ({ type: "kubeconfig", file }));
  expect(line).toMatch(/-- {4}connects to .*: not checked: auth\.file /);
  expect(line).toContain(
    `→ if you trust it, name it (\`export KUBECONFIG=${file}\`), then ask again: \`ebb doctor ${name} --directory `,
  );
  expect((await run(name, { KUBECONFIG: ["/nowhere", file].join(delimiter) })).stdout).toContain(
    "  ok    connects to ",
  );
});

test("a user of a kubeconfig without a credential", async () => {
  const file = join(folder(), "plugin");
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: process.execPath,
    args: ["-e", "process.exit(1)"],
  };
  const named = { clusters: [{ name: "c", cluster: { server: server.url, "certificate-authority-data": ca } }] };
  const users = [{ name: "u", user: { exec } }];
  const contexts = [{ name: "c", context: { cluster: "c", user: "u" } }];
  await writeFile(file, JSON.stringify({ "current-context": "c", ...named, users, contexts }));
  const { line, exitCode } = await examine(() => ({ type: "kubeconfig", file }), { KUBECONFIG: file });
  expect(line).toContain(`→ see why: \`kubectl --kubeconfig ${file} get --raw /version\``);
  expect([line.startsWith("  --"), exitCode]).toEqual([true, 0]);
});

describe("what the API server refuses of what everybody may do", () => {
  const body = (name: string) => {
    const address = { endpoint: server.url, certificateAuthorityData: ca };
    answer = { status: 200, body: { SecretString: JSON.stringify({ ...address, token: canary("certain") }) } };
    return token(name);
  };

  test("access reviews", async () => {
    refused = (url) => (url.includes("selfsubject") ? 403 : undefined);
    const { line, exitCode } = await examine(body);
    expect(line).toMatch(
      /FAIL {2}connects to .*: refused: .*selfsubjectaccessreviews → let every user ask for their own rights, as Kubernetes does by default: `kubectl --context c\d+ create/,
    );
    expect(line).toContain("create clusterrolebinding system:basic-user --clusterrole=system:basic-user --group=");
    expect(exitCode).toBe(1);
  });

  test("discovery", async () => {
    refused = (url) => (url.includes("selfsubject") ? undefined : 403);
    const name = `c${clusters + 1}`;
    await byHand({
      pk: `CLUSTER#${name}`,
      sk: "HPA#shop/web",
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 2 },
    });
    const { line } = await examine(body);
    expect(line).toMatch(
      /FAIL {2}connects to .*: refused: \/apis → let every user ask what the API server serves, as Kubernetes does by default: `kubectl --context c\d+ create/,
    );
    expect(line).toContain("create clusterrolebinding system:discovery --clusterrole=system:discovery --group=");
  });
});

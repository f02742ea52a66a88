import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { readExecutions } from "../../cli/understand/doctor/check-account";
import { startLambdaAccount } from "../fakes/lambda-account";
import { runScript } from "../how-to/run-script";
import { awsClients, type AwsClients } from "./servers/aws";
import { type Emulator, startMinistack } from "./servers/emulator";
import { installed } from "./servers/installed";
import { runOsls } from "./servers/osls";

/**
 * The stack's life as people type it, in an account as AWS gives it to new customers: 10 concurrent executions. The
 * emulator says so, and takes any reservation.
 */
const root = resolve(__dirname, "../..");
const TableName = "ebb-prod";
let ministack: Emulator;
let aws: AwsClients;
let bin: string;

beforeAll(async () => {
  ministack = await startMinistack({ LAMBDA_ACCOUNT_CONCURRENCY: "10" });
  aws = awsClients(ministack);
  bin = mkdtempSync(join(tmpdir(), "ebb-e2e-deployments-"));
  symlinkSync(installed().aws, join(bin, "aws"));
});
afterAll(async () => {
  aws.destroy();
  await ministack.stop();
  rmSync(bin, { recursive: true, force: true });
});

/** In the clone. */
function type(script: string) {
  const PATH = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
  const env = { ...ministack.env, PATH, HOME: bin, CI: "true", AWS_PAGER: "", SLS_INTERACTIVE_SETUP_ENABLE: "" };
  return runScript(script, { cwd: root, env, timeout: 300_000 });
}

test("a reservation that Lambda would refuse is refused before anything is changed", async () => {
  const deploying = runOsls(ministack, ["deploy", "--stage", "prod", "--param=tickReservedConcurrency=1"]);
  await expect(deploying).rejects.toThrow(
    /param tickReservedConcurrency: this account allows 10 concurrent executions in eu-central-1, .*expected at most 0, got 1\. Ask AWS for more: /,
  );
  await expect(runOsls(ministack, ["info", "--stage", "prod"])).rejects.toThrow("does not exist");
}, 200_000);

test("an account with fewer executions than ebb uses hears what to set, and gets its stack", async () => {
  expect(await runOsls(ministack, ["deploy", "--stage", "prod"])).toMatch(
    /This account allows 10 concurrent executions in eu-central-1, and 10 are not reserved by other functions\. ebb uses up to 53: .*--param="syncConcurrency=7"/,
  );
}, 200_000);

test("the emulator says of its account what the double of the unit tests says", async () => {
  const double = await startLambdaAccount(10);
  double.mappings.set("ebb-prod-sync", { ScalingConfig: { MaximumConcurrency: 50 } });
  const ask = async (endpoint: string, name: string) => {
    process.env["AWS_ENDPOINT_URL_LAMBDA"] = endpoint;
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const { signal } = new AbortController();
    return readExecutions(name, { region: ministack.region, credentials, signal });
  };
  try {
    const [ours, theirs] = [
      await ask(double.endpoint, "ebb-prod-sync"),
      await ask(ministack.endpoint, "ebb-prod-sync"),
    ];
    expect(theirs).toEqual({ allowed: 10, unreserved: 10, ofSync: 50 });
    expect(ours).toEqual(theirs);
    expect([await ask(double.endpoint, "none"), await ask(ministack.endpoint, "none")]).toEqual([undefined, undefined]);
  } finally {
    delete process.env["AWS_ENDPOINT_URL_LAMBDA"];
    await double.close();
  }
});

test("prod keeps its table when the stack is removed, and a deployment does not take it back by itself", async () => {
  await aws.dynamo.send(new PutItemCommand({ TableName, Item: { pk: { S: "CLUSTER#kept" }, sk: { S: "CLUSTER" } } }));
  await runOsls(ministack, ["remove", "--stage", "prod"]);
  await expect(runOsls(ministack, ["deploy", "--stage", "prod"])).rejects.toThrow("already exists");
  await runOsls(ministack, ["remove", "--stage", "prod"]);
}, 300_000);

test("what docs/deploy.md says takes the table back, with its entries", async () => {
  const page = readFileSync(join(root, "docs/deploy.md"), "utf8");
  const section = page.slice(page.indexOf("### The stack is gone, and its table stayed"));
  const [, script = ""] = /```sh\n([^]*?)```/.exec(section) ?? [];
  expect(script).toContain("--change-set-type IMPORT");
  const inFolder = script.replaceAll("table.json", join(bin, "table.json"));
  const { got, status } = await type(inFolder);
  expect([status, got]).toEqual([0, expect.stringContaining("Service deployed to stack ebb-prod")]);
  const { Items = [] } = await aws.dynamo.send(new ScanCommand({ TableName }));
  expect(Items.map(({ pk }) => pk?.S)).toContain("CLUSTER#kept");
  const resource = await type(
    "aws cloudformation describe-stack-resource --stack-name ebb-prod --logical-resource-id Table --query StackResourceDetail.PhysicalResourceId --output text",
  );
  expect(resource.got).toBe(`${TableName}\n`);
}, 400_000);

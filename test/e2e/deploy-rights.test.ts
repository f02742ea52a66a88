import { frameworkActions, mayDeploy } from "../infra/deploy-rights";
import type { Call } from "../infra/iam";
import { startMinistack } from "./servers/emulator";
import { runOsls } from "./servers/osls";
import { recordEmulator, type RecordedCall, type RecordedEmulator } from "./servers/recording-proxy";

/**
 * What the framework itself asks AWS for when it deploys, updates and removes the stack: examples/deploy-policy.json
 * allows it. What CloudFormation asks for in its place: test/aws-checks/deploy-policy.
 */
jest.setTimeout(300_000);

let recorded: RecordedEmulator;
const ending: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const ministack = await startMinistack();
  ending.push(() => ministack.stop());
  recorded = await recordEmulator(ministack);
  ending.push(() => recorded.stop());
  const of = ["--stage", "prod", "--region", "eu-central-1"];
  await runOsls(recorded, ["deploy", ...of, "--param", "tableDeletionProtection=false"]);
  await runOsls(recorded, ["deploy", ...of, "--param", "tableDeletionProtection=false", "--param", "syncMemory=2048"]);
  await runOsls(recorded, ["remove", ...of]);
});
afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

/** In the account and with the random names of the policy's example. */
const arn = (service: string, resource: string) => `arn:aws:${service}:eu-central-1:111122223333:${resource}`;

function callOf({ service, method, action, input }: RecordedCall): Call {
  switch (service) {
    case "cloudformation": {
      if (action === "ValidateTemplate") return { action: `cloudformation:${action}`, resource: "*" };
      const [, name = ""] = /^(?:arn:.*:stack\/)?([^/]+)/.exec(String(input["StackName"])) ?? [];
      return { action: `cloudformation:${action}`, resource: arn(service, `stack/${name}/1234`) };
    }
    case "lambda": {
      if (action.endsWith("/account-settings")) return { action: "lambda:GetAccountSettings", resource: "*" };
      const [, name = "", verb = ""] = /\/functions\/([^/]+)(?:\/(\w+))?$/.exec(action) ?? [];
      const verbs: Readonly<Record<string, string>> = { "": "GetFunction", concurrency: "GetFunctionConcurrency" };
      return { action: `lambda:${verbs[verb] ?? verb}`, resource: arn(service, `function:${name}`) };
    }
    case "ecr": {
      const [repository] = input["repositoryNames"] as readonly string[];
      return { action: `ecr:${action}`, resource: arn(service, `repository/${repository}`) };
    }
    case "s3":
      return s3Call(method, new URL(action, "https://s3"));
    default:
      throw new Error(`expected a service that the framework calls, got ${service} ${action}`);
  }
}

function s3Call(method: string, { pathname, searchParams }: URL): Call {
  const [, bucket = "", key = ""] = /^\/([^/]+)\/?(.*)$/.exec(pathname) ?? [];
  const ofObject = (verb: string) => ({ action: `s3:${verb}Object`, resource: `arn:aws:s3:::${bucket}/${key || "*"}` });
  if (method === "POST" && searchParams.has("delete")) return ofObject("Delete");
  if (key !== "") return ofObject(method === "PUT" ? "Put" : "Get");
  if (method === "GET" || method === "HEAD") return { action: "s3:ListBucket", resource: `arn:aws:s3:::${bucket}` };
  throw new Error(`expected a request that the framework makes, got ${method} ${pathname}`);
}

/** Everybody may ask who they are. */
const calls = () => recorded.calls.filter(({ service }) => service !== "sts").map(callOf);

test("the policy allows each call of a deployment, of an update and of a removal", () => {
  expect(calls().length).toBeGreaterThan(40);
  expect(calls().filter((call) => !mayDeploy(call))).toEqual([]);
});

test("the rights that it has for the framework are those that were used", () => {
  expect([...new Set(calls().map(({ action }) => action))].sort()).toEqual([...frameworkActions].sort());
});

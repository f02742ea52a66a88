import { adviceText } from "../../../cli/shell/advice/print";
import { checkAccount } from "../../../cli/understand/doctor/check-account";
import type { Table } from "../../../lib/table/reads";
import { type LambdaAccount, startLambdaAccount } from "../../fakes/lambda-account";
import { plainCaller } from "../advice/plain-caller";

let account: LambdaAccount;
const variables = ["AWS_ENDPOINT_URL_LAMBDA", "AWS_ENDPOINT_URL"] as const;
const before = variables.map((name) => process.env[name]);
beforeEach(async () => {
  account = await startLambdaAccount(10);
  account.mappings.set("ebb-prod-sync", { ScalingConfig: { MaximumConcurrency: 10 } });
  delete process.env["AWS_ENDPOINT_URL"];
  process.env["AWS_ENDPOINT_URL_LAMBDA"] = account.endpoint;
});
afterEach(async () => {
  variables.forEach((name, index) => {
    const value = before[index];
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  });
  await account.close();
});

const { signal } = new AbortController();

async function findings(name = "ebb-prod", endpoint = "https://dynamodb.eu-central-1.amazonaws.com") {
  const config = {
    region: () => Promise.resolve("eu-central-1"),
    endpoint: () => Promise.resolve(new URL(endpoint)),
    credentials: () => Promise.resolve({ accessKeyId: "test", secretAccessKey: "test" }),
  };
  const found = await checkAccount({ name, client: { config } } as unknown as Table, signal);
  return found.map(({ kind, what, ...more }) => ({
    ...{ kind, what },
    ...("why" in more && { why: more.why }),
    ...("todo" in more && more.todo && { todo: adviceText(more.todo, plainCaller) }),
  }));
}

const what = "the account has room for the functions";
const ask =
  "aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000";

test("enough for sync, and one each of tick, wake and watch", async () => {
  account.allowed = 13;
  expect(await findings()).toEqual([{ kind: "ok", what }]);
});

test("too few: what fits, and how to ask for more; a small fleet works as it is", async () => {
  const [finding] = await findings();
  expect(finding).toEqual({
    kind: "ok",
    what: `${what}, if other functions leave it: it allows 10 concurrent executions, 10 of them without a reservation, and the functions use up to 13`,
    todo: expect.stringContaining("deploy with syncConcurrency=7, or ask AWS for more: ") as string,
  });
  expect(finding?.todo).toContain(ask);
});

test("too few for any sync beside the others is a fault", async () => {
  account.allowed = 1_000;
  account.reserved = 996;
  const [finding] = await findings();
  expect(finding).toMatchObject({
    ...{ kind: "fail", what },
    why: "it allows 1000 concurrent executions, 4 of them without a reservation, and the functions use up to 13",
  });
  expect(finding?.todo).toContain(ask);
});

test("provisioned pollers start ten each", async () => {
  account.mappings.set("ebb-prod-sync", { ScalingConfig: {}, ProvisionedPollerConfig: { MaximumPollers: 3 } });
  account.allowed = 33;
  expect(await findings()).toEqual([{ kind: "ok", what }]);
  account.allowed = 32;
  expect((await findings())[0]).toMatchObject({
    what: expect.stringContaining("and the functions use up to 33") as string,
    todo: expect.stringContaining("deploy with syncPollers=2,2, or") as string,
  });
  account.allowed = 22;
  expect((await findings())[0]).toMatchObject({ kind: "fail" });
});

test.each([
  ["there are no such functions", "ebb-other"],
  ["nothing limits them", "ebb-free"],
])("%s: nothing to check, and the account is not asked", async (_why, name) => {
  account.mappings.set("ebb-free-sync", {});
  expect(await findings(name)).toEqual([]);
  expect(account.asked).toEqual(["/2015-03-31/event-source-mappings/"]);
});

test("a table in another server has no account, unless the environment says where Lambda is", async () => {
  delete process.env["AWS_ENDPOINT_URL_LAMBDA"];
  expect(await findings("ebb-prod", "http://127.0.0.1:8000")).toEqual([]);
  process.env["AWS_ENDPOINT_URL"] = account.endpoint;
  expect(await findings("ebb-prod", account.endpoint)).toHaveLength(1);
});

test("without the right to ask, it says which is missing", async () => {
  account.answers = () => ({ status: 403, body: '{"Message":"denied"}', error: "AccessDeniedException" });
  expect(await findings()).toEqual([
    {
      ...{ kind: "skipped", what },
      why: expect.stringContaining("lambda:ListEventSourceMappings") as string,
      todo: expect.stringContaining("choose credentials that have this right") as string,
    },
  ]);
});

test.each([
  ["no JSON", { status: 200, body: "<html>" }],
  ["no limits", { status: 200, body: '{"AccountLimit":null}' }],
  ["texts for numbers", { status: 200, body: '{"AccountLimit":{"ConcurrentExecutions":"10"}}' }],
  ["an error of the service", { status: 500, body: "" }],
  ["an answer of megabytes", { status: 200, body: `{"AccountLimit":"${"x".repeat(2 ** 20)}"}` }],
])("%s in place of the settings: it cannot be known", async (_what, answer) => {
  account.answers = (path) => (path.includes("account-settings") ? answer : undefined) as typeof answer;
  expect(await findings()).toEqual([
    {
      kind: "skipped",
      what,
      why: expect.any(String) as string,
      todo: expect.stringContaining("check --table") as string,
    },
  ]);
});

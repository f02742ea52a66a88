import { readFileSync } from "node:fs";
import { notifySettings } from "../../functions/notify-wiring";
import { openReporter } from "../../functions/reporter";
import { parseSelector } from "../../lib/k8s/selector";
import { hpaTypes } from "../../lib/model/notification";
import { toItem } from "../../lib/table/items/attributes";
import * as schema from "../../lib/table/items/keys";
import { type Call, allowing } from "./iam";
import { matchesFilter } from "./matches-filter";
import { readYaml } from "./read-template";
import { account, region, stackRoles } from "./stack-roles";

type Json = Readonly<Record<string, unknown>>;
type Variables = { readonly resolveVariable: (address: string) => Promise<unknown> };

interface NotifyStack {
  readonly function: null | {
    readonly environment: Readonly<Record<string, string>>;
    readonly package: { readonly patterns: readonly string[] };
    readonly events: readonly [{ readonly stream: Json & { readonly filterPatterns: readonly unknown[] } }];
  };
  readonly resources: {
    readonly Resources?: Readonly<Record<string, { readonly Type: string; readonly Properties: Json }>>;
  };
}

const read = (file: string) => jest.requireActual<(variables: Variables) => Promise<unknown>>(`../../infra/${file}`);
const { params, functions } = readYaml<{
  readonly params: { readonly default: Readonly<Record<string, unknown>> };
  readonly functions: Json;
}>("serverless.yml");
const topic = `arn:aws:sns:${region}:${account}:ebb`;
const bus = `arn:aws:events:${region}:${account}:event-bus/ebb`;

const given = (own: Readonly<Record<string, string>> = {}): Variables => ({
  resolveVariable: (address) => Promise.resolve({ ...params.default, ...own }[address.replace("param:", "")]),
});
const stackWith = (own: Readonly<Record<string, string>>) => read("notify.cjs")(given(own)) as Promise<NotifyStack>;

async function on() {
  const stack = await stackWith({ notifyArn: topic });
  if (stack.function === null) throw new Error("expected a function");
  return { ...stack, function: stack.function };
}

test("without a topic or bus there is no function, no role, no schedule and no consumer of the stream", async () => {
  expect(functions["notify"]).toBe("${file(infra/notify.cjs):function, null}");
  expect(await stackWith({})).toEqual({ function: null, resources: {} });
  expect(Object.keys(await stackRoles()).filter((id) => id.startsWith("Notify"))).toEqual([]);
});

test("with one, a minute's schedule invokes it with that minute, and nothing does it again", async () => {
  const { resources } = await on();
  const { ScheduleExpression, Target } = resources.Resources?.["NotifySchedule"]?.Properties ?? {};
  expect(ScheduleExpression).toBe("cron(* * * * ? *)");
  expect(Target).toMatchObject({
    Input: '{ "time": "<aws.scheduler.scheduled-time>" }',
    RetryPolicy: { MaximumRetryAttempts: 0 },
  });
  const { NotifyScheduleRole = [] } = await stackRoles({ notifyArn: topic });
  const invoke = {
    action: "lambda:InvokeFunction",
    resource: `arn:aws:lambda:${region}:${account}:function:ebb-prod-notify`,
  };
  expect(allowing(NotifyScheduleRole, invoke).map(({ Sid }) => Sid)).toEqual(["InvokeNotify"]);
});

describe("its records", () => {
  const wakes = async (Keys: schema.ItemKey) =>
    (await on()).function.events[0].stream.filterPatterns.some((pattern) =>
      matchesFilter(pattern, { eventName: "MODIFY", dynamodb: { Keys: toItem(Keys) } }),
    );

  test.each([
    ["a state", schema.stateKey("prod", "shop/orders"), true],
    ["an entry", schema.hpaItemKey("prod", "shop/orders"), false],
    ["latest values", schema.latestKey({ cluster: "prod", from: "" }), false],
    ["what it remembers itself", schema.notifiedKey("prod", "shop/orders"), false],
    ["its count of the hour", schema.notifiedHourKey, false],
  ])("%s: %j, %s", async (_, keys, expected) => {
    expect(await wakes(keys)).toBe(expected);
  });

  test("that could not be sent come again, alone, for an hour", async () => {
    expect((await on()).function.events[0].stream).toMatchObject({
      functionResponseType: "ReportBatchItemFailures",
      maximumRecordAgeInSeconds: 3_600,
    });
  });
});

describe("its role", () => {
  const table = `arn:aws:dynamodb:${region}:${account}:table/ebb-prod`;
  const may = async (call: Call, notifyArn = topic) =>
    allowing((await stackRoles({ notifyArn }))["NotifyRole"] ?? [], call).length > 0;
  const item = (action: string, ...leadingKeys: readonly string[]) => ({
    action: `dynamodb:${action}`,
    resource: table,
    leadingKeys,
  });

  test.each<readonly [string, Call]>([
    ["publish to the topic", { action: "sns:Publish", resource: topic }],
    ["read entries and states", item("BatchGetItem", "CLUSTER#prod")],
    ["read the count of the hour", item("GetItem", "NOTIFY")],
    ["remember", item("PutItem", "NOTIFY")],
    ["find what lasts", item("Query", "NOTIFY")],
    ["replace what it cannot read", item("DeleteItem", "NOTIFY")],
  ])("may %s", async (_, call) => {
    expect(await may(call)).toBe(true);
  });

  test.each<readonly [string, Call]>([
    ["publish to another topic", { action: "sns:Publish", resource: `${topic}-2` }],
    ["write a state", item("PutItem", "CLUSTER#prod")],
    ["write a state beside its own item", item("PutItem", "NOTIFY", "CLUSTER#prod")],
    ["list a cluster", item("Query", "CLUSTER#prod")],
    ["send messages", { action: "sqs:SendMessage", resource: `arn:aws:sqs:${region}:${account}:ebb-prod-slots` }],
    [
      "read secrets",
      { action: "secretsmanager:GetSecretValue", resource: "arn:aws:secretsmanager:eu-central-1:1:secret:ebb/a" },
    ],
    ["put events", { action: "events:PutEvents", resource: bus }],
  ])("may not %s", async (_, call) => {
    expect(await may(call)).toBe(false);
  });

  test("of a bus may put events on it, and publish nothing", async () => {
    expect(await may({ action: "events:PutEvents", resource: bus }, bus)).toBe(true);
    expect(await may({ action: "sns:Publish", resource: topic }, bus)).toBe(false);
  });
});

describe("its alarms", () => {
  const alarmTopicArn = `arn:aws:sns:${region}:${account}:alarms`;
  const alarms = async () => {
    const { resources } = await stackWith({ notifyArn: topic, alarmTopicArn });
    return Object.values(resources.Resources ?? {}).filter(({ Type }) => Type === "AWS::CloudWatch::Alarm");
  };

  test("want failures in two of three spans, and notify the topic of alarms when they begin and end", async () => {
    const found = await alarms();
    expect(found).toHaveLength(2);
    for (const { Properties } of found)
      expect(Properties).toMatchObject({
        ...{ Statistic: "Sum", Period: 300, EvaluationPeriods: 3, DatapointsToAlarm: 2, Threshold: 0 },
        ...{ TreatMissingData: "notBreaching", AlarmActions: [alarmTopicArn], OKActions: [alarmTopicArn] },
      });
  });

  test("read what notify counts, and its own errors", async () => {
    const said: string[] = [];
    const metrics = {
      addMetric: (name: string) => void said.push(name),
      hasStoredMetrics: () => false,
      publishStoredMetrics: () => undefined,
    };
    openReporter({ logger: console, metrics } as unknown as Parameters<typeof openReporter>[0]).unsent(1);
    const found = await alarms();
    expect(found.map(({ Properties: { Namespace, MetricName } }) => [Namespace, MetricName])).toEqual([
      ["ebb", ...said],
      ["AWS/Lambda", "Errors"],
    ]);
    expect(found.map(({ Properties }) => Properties["Dimensions"])).toEqual([
      [{ Name: "service", Value: "${self:service}-${sls:stage}" }],
      [{ Name: "FunctionName", Value: { Ref: "NotifyLambdaFunction" } }],
    ]);
  });

  test("are those that docs/notifications.md says what to do about", async () => {
    const names = (await alarms()).map(({ Properties }) => String(Properties["AlarmName"]).replace(/^.*\}-/, ""));
    const page = readFileSync("docs/notifications.md", "utf8");
    expect([...page.matchAll(/^- `([\w-]+)`: /gm)].map(([, name]) => name)).toEqual(names);
  });
});

describe("the key of an encrypted topic", () => {
  const key = `arn:aws:kms:${region}:${account}:key/1234`;
  const call = (action: string, service = "sns"): Call => ({
    ...{ action: `kms:${action}`, resource: key },
    context: { "kms:ViaService": `${service}.${region}.amazonaws.com` },
  });
  const may = async (asked: Call, own: Readonly<Record<string, string>>) =>
    allowing((await stackRoles({ notifyArn: topic, ...own }))["NotifyRole"] ?? [], asked).length > 0;

  test.each(["Decrypt", "GenerateDataKey"])("its role may %s with it, through SNS alone", async (action) => {
    expect(await may(call(action), { notifyKmsKeyArn: key })).toBe(true);
    expect(await may(call(action, "dynamodb"), { notifyKmsKeyArn: key })).toBe(false);
    expect(await may(call(action), { notifyKmsKeyArn: `${key}5` })).toBe(false);
    expect(await may(call(action), {})).toBe(false);
  });

  test("is refused for a bus, whose key EventBridge uses itself, and as an alias", async () => {
    const ofBus = stackWith({ notifyArn: bus, notifyKmsKeyArn: key });
    await expect(ofBus).rejects.toThrow("param notifyKmsKeyArn: expected nothing for a bus");
    const alias = stackWith({ notifyArn: topic, notifyKmsKeyArn: key.replace("key/", "alias/") });
    await expect(alias).rejects.toThrow("param notifyKmsKeyArn: expected one ARN such as arn:aws:kms:");
  });
});

test("its bundle has the publishers, which no other function ships", async () => {
  const { patterns } = (await on()).function.package;
  expect(patterns).toContain("dist/functions/publishers.js");
  expect(JSON.stringify(functions)).not.toContain("publishers");
});

test("the function reads each of its parameters as the stack writes it", async () => {
  const stack = await stackWith({ notifyArn: topic, notifyTypes: "failing, recovered", notifyNamespaces: " shop " });
  const env = Object.fromEntries(
    Object.entries(stack.function?.environment ?? {}).map(([name, value]) => [
      name,
      value.replace(/^\$\{param:(\w+)\}$/, (_, param: string) => String(params.default[param])),
    ]),
  );
  const settings = notifySettings(env);
  expect(settings.hourlyCap).toBe(params.default["notifyHourlyCap"]);
  expect(settings.afterMs).toMatchObject({ failing: 60_000, "at-max": 600_000 });
  expect([[...settings.filters.types], [...settings.filters.namespaces]]).toEqual([["failing", "recovered"], ["shop"]]);
  expect(Object.keys(env).filter((name) => !name.startsWith("NOTIFY_"))).toEqual([]);
});

describe("parameters", () => {
  test.each([
    ["notifyArn", "ebb", "expected one ARN such as arn:aws:sns:"],
    ["notifyArn", `arn:aws:sqs:${region}:${account}:ebb`, "expected one ARN such as"],
    ["notifyArn", `${topic},${bus}`, "expected one ARN such as"],
    ["notifyMinutes", "-1", "expected a whole number of minutes from 0 to 1440"],
    ["notifyFailingMinutes", "soon", "expected a whole number of minutes from 0 to 1440"],
    ["notifyHourlyCap", "0", "expected a whole number from 1 to 100000"],
    [
      "notifyTypes",
      "failing,asleep",
      `expected some of ${hpaTypes.filter((type) => type === "scaled-to-zero").join()}`,
    ],
    ["notifyClusters", "a#b", "expected names of clusters, which have no #"],
    ["notifyLabels", "team in", "expected a label selector such as"],
  ])("%s of %j is refused before a deployment", async (name, value, message) => {
    await expect(stackWith({ notifyArn: topic, [name]: value })).rejects.toThrow(`param ${name}: ${message}`);
  });

  test("the types are those that the function knows", async () => {
    for (const type of hpaTypes)
      expect((await stackWith({ notifyArn: topic, notifyTypes: type })).function).not.toBeNull();
  });

  const valid = ["", "a=b", "a==b,c!=d", "a in (b, c),!d", "a notin (b)", "example.com/a", "a=", " a , b "];
  const invalid = [
    "a b",
    "=b",
    "a in b",
    "a in (",
    "a=b c",
    ",",
    "a,,b",
    "-a",
    "a/b/c",
    `${"a".repeat(64)}`,
    "a=b;c",
    "(a)",
  ];

  test.each([...valid.map((text) => [text, true] as const), ...invalid.map((text) => [text, false] as const)])(
    "the labels %j are valid to both the stack and the function: %s",
    async (notifyLabels, isValid) => {
      const byStack = await stackWith({ notifyArn: topic, notifyLabels }).then(
        () => true,
        () => false,
      );
      expect([byStack, isParsed(notifyLabels)]).toEqual([isValid, isValid]);
    },
  );
});

function isParsed(text: string): boolean {
  try {
    parseSelector(text);
    return true;
  } catch {
    return false;
  }
}

test.each([
  ["permissions-boundary.cjs", "permissionsBoundary", `arn:aws:iam::${account}:policy/boundary`, "NotifyRole"],
  ["encryption.cjs", "kmsKeyArn", `arn:aws:kms:${region}:${account}:key/1`, "NotifyLambdaFunction"],
])("%s covers it if it is there", async (file, name, value, id) => {
  const with_ = (await read(file)(given({ [name]: value, notifyArn: topic }))) as { readonly extensions: Json };
  const without = (await read(file)(given({ [name]: value }))) as { readonly extensions: Json };
  expect([id in with_.extensions, id in without.extensions]).toEqual([true, false]);
});

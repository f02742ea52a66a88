import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toItem } from "../../lib/table/items/attributes";
import * as schema from "../../lib/table/items/keys";
import { expiresAtAttribute, tableDefinition } from "../../lib/table/items/keys";
import { matchesFilter } from "./matches-filter";
import { readYaml } from "./read-template";

interface Statement {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties: Record<string, unknown>;
}

interface Resources {
  readonly Resources: Readonly<Record<string, Resource>>;
}

interface LambdaFunction {
  readonly handler: string;
  readonly role: unknown;
  readonly package: { readonly patterns: readonly string[] };
  readonly events?: readonly Record<string, Record<string, unknown>>[];
}

const stack = readYaml<{
  readonly params: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly provider: Record<string, unknown>;
  readonly functions: Readonly<Record<string, LambdaFunction | string>>;
  readonly resources: readonly string[];
}>("serverless.yml");
/** Without notify and metrics, which have tests of their own: they are not always there. */
const {
  notify: _notify,
  metrics: _metrics,
  ...ownFunctions
} = stack.functions as Readonly<Record<string, LambdaFunction>>;
const functions = Object.entries(ownFunctions);
const resourceOf = (file: string, name: string): Resource => {
  const resource = readYaml<Resources>(file).Resources[name];
  if (resource === undefined) throw new Error(`${file}: expected a resource ${name}`);
  return resource;
};
const param = (name: string) => stack.params["default"]?.[name];

describe("table", () => {
  const { Properties: table, DeletionPolicy } = resourceOf("infra/table.yml", "Table");

  test("has the keys and the index that the code creates locally", () => {
    const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode } = tableDefinition("any");
    expect(table).toMatchObject({ AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode });
    expect(table["GlobalSecondaryIndexes"]).toHaveLength(GlobalSecondaryIndexes?.length ?? 0);
  });

  test("expires items by the attribute that the code sets", () => {
    expect(table["TimeToLiveSpecification"]).toEqual({ AttributeName: expiresAtAttribute, Enabled: true });
  });

  test("is encrypted, can be restored to any second, and is kept in prod", () => {
    expect(table["SSESpecification"]).toEqual({ SSEEnabled: true });
    expect(table["PointInTimeRecoverySpecification"]).toEqual({ PointInTimeRecoveryEnabled: true });
    expect(DeletionPolicy).toBe("${param:tableDeletionPolicy}");
    expect(stack.params["prod"]).toMatchObject({ tableDeletionPolicy: "Retain", tableDeletionProtection: true });
  });
});

describe("queues", () => {
  const { Properties: slots } = resourceOf("infra/queues.yml", "SlotQueue");

  test("a message is hidden for six times as long as sync may take", () => {
    expect(slots["VisibilityTimeout"]).toBe("${param:slotVisibility}");
    expect(param("slotVisibility")).toBe(6 * Number(param("syncTimeout")));
  });

  test("what failed five times is in the dead-letter queue, for as long as SQS keeps it", () => {
    expect(slots["RedrivePolicy"]).toEqual({
      deadLetterTargetArn: { "Fn::GetAtt": "DeadLetterQueue.Arn" },
      maxReceiveCount: 5,
    });
    const { Properties: dead } = resourceOf("infra/queues.yml", "DeadLetterQueue");
    expect(dead["MessageRetentionPeriod"]).toBe(14 * 24 * 3600);
  });

  test("plain HTTP is refused for every queue", () => {
    const { Resources } = readYaml<Resources>("infra/queues.yml");
    const queues = Object.keys(Resources).filter((name) => Resources[name]?.Type === "AWS::SQS::Queue");
    expect(Resources["QueuePolicy"]?.Properties).toMatchObject({
      Queues: queues.map((Ref) => ({ Ref })),
      PolicyDocument: {
        Statement: [
          {
            ...{ Effect: "Deny", Principal: "*", Action: "sqs:*" },
            Resource: queues.map((name) => ({ "Fn::GetAtt": `${name}.Arn` })),
            Condition: { Bool: { "aws:SecureTransport": "false" } },
          },
        ],
      },
    });
  });

  test("what Lambda cannot start sync for is gone before it would be a dead letter, and not before it was tried five times", () => {
    const { maxReceiveCount } = slots["RedrivePolicy"] as { readonly maxReceiveCount: number };
    const triesSeconds = Number(param("slotVisibility"));
    // Received at 0, 180, 360, 540 and 720 s. At 900 s, SQS would move it.
    expect(slots["MessageRetentionPeriod"]).toBeLessThan(maxReceiveCount * triesSeconds);
    expect(slots["MessageRetentionPeriod"]).toBeGreaterThan((maxReceiveCount - 1) * triesSeconds);
  });

  test("sync reports failed items, and takes no more than ten at a time, which is what one call can make visible again", () => {
    const [event] = ownFunctions["sync"]?.events ?? [];
    expect(event?.["sqs"]).toMatchObject({ functionResponseType: "ReportBatchItemFailures" });
    expect(param("syncBatchSize")).toBeLessThanOrEqual(10);
  });
});

describe("functions", () => {
  test.each(functions)("%s ships its own bundle and has its own role", (name, { handler, role, package: shipped }) => {
    const roleName = `${name.charAt(0).toUpperCase()}${name.slice(1)}Role`;
    expect(handler).toBe(`dist/functions/${name}.handler`);
    expect(shipped.patterns).toContain(`dist/functions/${name}.js`);
    expect(role).toEqual({ "Fn::Sub": `\${${roleName}.Arn}` });
    expect(resourceOf("infra/roles.yml", roleName).Type).toBe("AWS::IAM::Role");
  });

  test("nothing but the schedule, a changed entry and the queue starts anything", () => {
    const events = functions.map(([name, { events }]) => [name, (events ?? []).map((event) => Object.keys(event))]);
    expect(events).toEqual([
      ["tick", []],
      ["wake", [["stream"]]],
      ["sync", [["sqs"]]],
      ["watch", []],
    ]);
    const schedules = Object.keys(readYaml<Resources>("infra/schedule.yml").Resources);
    expect(schedules).toEqual(["TickSchedule", "WatchSchedule"]);
  });

  test("every stage's parameters exist by default", () => {
    const { default: defaults, ...stages } = stack.params;
    for (const stage of Object.values(stages))
      expect(Object.keys(defaults ?? {})).toEqual(expect.arrayContaining(Object.keys(stage)));
  });
});

describe("the schedule", () => {
  const { Type, Properties: schedule } = resourceOf("infra/schedule.yml", "TickSchedule");
  const target = schedule["Target"] as {
    readonly Arn: unknown;
    readonly RoleArn: unknown;
    readonly Input: string;
    readonly RetryPolicy: unknown;
  };

  test("invokes tick at every full minute, under a role of its own", () => {
    expect(Type).toBe("AWS::Scheduler::Schedule");
    expect(schedule["ScheduleExpression"]).toBe("cron(* * * * ? *)");
    expect(schedule["FlexibleTimeWindow"]).toEqual({ Mode: "OFF" });
    expect(target.Arn).toEqual({ "Fn::GetAtt": "TickLambdaFunction.Arn" });
    expect(target.RoleArn).toEqual({ "Fn::GetAtt": "ScheduleRole.Arn" });
  });

  test("gives tick the scheduled minute, in the field that tick reads", () => {
    expect(JSON.parse(target.Input)).toEqual({ time: "<aws.scheduler.scheduled-time>" });
  });

  test("gives up a tick after two minutes, as the function does", () => {
    expect(target.RetryPolicy).toMatchObject({ MaximumEventAgeInSeconds: 120 });
    expect(ownFunctions["tick"]).toMatchObject({ maximumEventAge: 120 });
  });
});

describe("the zero-scale poller", () => {
  const { Properties: schedule } = resourceOf("infra/schedule.yml", "WatchSchedule");

  test("is started each minute with that minute, and not at all without a budget", () => {
    const target = schedule["Target"] as { readonly Arn: unknown; readonly Input: string };
    expect(schedule["ScheduleExpression"]).toBe("cron(* * * * ? *)");
    expect(target.Arn).toEqual({ "Fn::GetAtt": "WatchLambdaFunction.Arn" });
    expect(JSON.parse(target.Input)).toEqual({ time: "<aws.scheduler.scheduled-time>" });
    expect(schedule["State"]).toBe("${file(infra/params.cjs):watchState}");
  });

  test("has time for a minute, for the one before it, and for a next one that is late", () => {
    expect(param("watchTimeout")).toBeGreaterThanOrEqual(130);
    expect(ownFunctions["watch"]).toMatchObject({ maximumRetryAttempts: 0 });
  });

  test("ships every part of a source that sync ships", () => {
    const parts = (name: string) => ownFunctions[name]?.package.patterns.filter((one) => !one.endsWith(`/${name}.js`));
    expect(parts("watch")).toEqual(parts("sync"));
  });

  test("may read what sync reads of the sources, and write its lease alone", () => {
    const role = (name: string) =>
      (
        resourceOf("infra/roles.yml", name).Properties["Policies"] as readonly {
          PolicyDocument: { Statement: readonly Statement[] };
        }[]
      ).flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    const own = ["WriteLogs", "SyncShards", "ConsumeSlots"];
    const reads = role("SyncRole").filter(({ Sid }) => !own.includes(Sid));
    expect(role("WatchRole")).toEqual(expect.arrayContaining(reads));
    const writes = role("WatchRole").filter(({ Action }) =>
      /(Put|Delete|Write|Update)Item/.test(JSON.stringify(Action)),
    );
    expect(writes).toMatchObject([{ Action: "dynamodb:PutItem", Condition: expect.anything() as unknown }]);
    expect(JSON.stringify(writes[0])).toContain('"dynamodb:LeadingKeys":["WATCH"]');
  });
});

describe("the table's stream", () => {
  const stream = ownFunctions["wake"]?.events?.[0]?.["stream"] as {
    readonly arn: unknown;
    readonly filterPatterns: readonly unknown[];
    readonly maximumRecordAgeInSeconds: number;
  };
  const wakes = (Keys: { readonly pk: string; readonly sk: string }, eventName = "MODIFY") =>
    stream.filterPatterns.some((pattern) => matchesFilter(pattern, { eventName, dynamodb: { Keys: toItem(Keys) } }));
  const key = "shop/orders";

  test("has an entry's old and new image, which wake reads", () => {
    const { Properties: table } = resourceOf("infra/table.yml", "Table");
    expect(table["StreamSpecification"]).toEqual({ StreamViewType: "NEW_AND_OLD_IMAGES" });
    expect(stream.arn).toEqual({ "Fn::GetAtt": "Table.StreamArn" });
  });

  test.each(["INSERT", "MODIFY", "REMOVE"])("an HPA entry wakes: %s", (eventName) => {
    expect(wakes(schema.hpaItemKey("prod", key), eventName)).toBe(true);
  });

  test.each([
    ["a state", schema.stateKey("prod", key)],
    ["a shard", schema.shardKey({ cluster: "HPA#prod", from: key })],
    ["a decision", schema.decisionKey("prod", key, 0)],
    ["events", schema.eventsKey("prod", key)],
    ["a cluster", schema.clusterKey("prod")],
    ["a metric source", { pk: "CLUSTER#prod", sk: `${schema.sourcePrefix}depth` }],
  ])("%s never does", (_what, keys) => {
    expect(wakes(keys)).toBe(false);
  });

  test("a wake that is a minute old is dropped: the slots have done its work", () => {
    expect(stream.maximumRecordAgeInSeconds).toBe(60);
  });
});

test("wake's heap is what Lambda gives a function of its memory: 90 %", () => {
  const { environment } = ownFunctions["wake"] as unknown as {
    readonly environment: Readonly<Record<string, string>>;
  };
  const heap = Number(/--max-old-space-size=(\d+)/.exec(environment["NODE_OPTIONS"] ?? "")?.[1]);
  expect(heap).toBe(Math.floor(0.9 * Number(param("wakeMemory"))));
});

test.each(["sync", "watch"])("%s has threads for many names that do not resolve", (name) => {
  const { environment } = ownFunctions[name] as unknown as { readonly environment: Readonly<Record<string, string>> };
  // As cli/ebb.ts has it.
  expect(environment["UV_THREADPOOL_SIZE"]).toBe("64");
  expect(readFileSync("cli/ebb.ts", "utf8")).toContain('process.env["UV_THREADPOOL_SIZE"] ??= "64"');
});

describe("roles", () => {
  const roles = Object.entries(readYaml<Resources>("infra/roles.yml").Resources);
  const statements = roles.flatMap(([role, { Properties }]) =>
    (Properties["Policies"] as readonly { readonly PolicyDocument: { readonly Statement: readonly Statement[] } }[])
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
      .map((statement) => [role, statement.Sid, statement] as const),
  );

  const actionsOf = (role: string) => statements.filter(([of]) => of === role).flatMap(([, , { Action }]) => Action);

  test.each(statements)("%s, %s: names its actions, and its resources where AWS lets it", (_role, _sid, statement) => {
    const actions = [statement.Action].flat();
    expect(statement.Effect).toBe("Allow");
    for (const action of actions) expect(action).toMatch(/^[a-z0-9]+:[A-Z][A-Za-z]+$/);
    // GetMetricData knows no resources, and a list of queues or streams is of a whole account.
    if (statement.Resource === "*")
      expect(["cloudwatch:GetMetricData", "sqs:ListQueues", "dynamodb:ListStreams"]).toEqual(
        expect.arrayContaining([...actions]),
      );
  });

  test("a grant on the table has a caller: sync may do what lib/table calls, and tick may do a part of that", () => {
    const folder = join(__dirname, "../../lib/table");
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const called = sources.flatMap((file) =>
      [...readFileSync(join(folder, file), "utf8").matchAll(/new (\w+)Command\(/g)].map(
        ([, name]) => `dynamodb:${name}`,
      ),
    );
    const granted = (role: string) => actionsOf(role).filter((action) => action.startsWith("dynamodb:"));
    expect(granted("SyncRole").sort()).toEqual([...new Set(called)].sort());
    expect(called).toEqual(expect.arrayContaining(granted("TickRole")));
    expect(granted("TickRole")).toContain("dynamodb:PutItem");
  });

  test("no role may do what is another's: tick reads no secrets, sync sends no messages, wake reads the stream and entries, and sends", () => {
    expect([...new Set(actionsOf("ScheduleRole"))]).toEqual(["lambda:InvokeFunction"]);
    expect(actionsOf("TickRole").filter((action) => /^(secretsmanager|ssm|sts|cloudwatch):/.test(action))).toEqual([]);
    expect(actionsOf("SyncRole")).not.toContain("sqs:SendMessage");
    const wakeMayAct = ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"].map(
      (name) => `dynamodb:${name}`,
    );
    expect(actionsOf("WakeRole").filter((action) => !action.startsWith("logs:"))).toEqual([
      ...wakeMayAct,
      "dynamodb:Query",
      "dynamodb:BatchGetItem",
      "dynamodb:Query",
      "sqs:SendMessage",
    ]);
  });
});

type Numbers = readonly (number | undefined)[];

interface MathAlarm {
  readonly Metrics: readonly { readonly Id: string; readonly Expression?: string }[];
  readonly DatapointsToAlarm: number;
  readonly Threshold: number;
}

/** As CloudWatch evaluates the expression below a threshold: a minute without a condition has no number. */
function isRaised(
  { Metrics, DatapointsToAlarm, Threshold }: MathAlarm,
  { queue, ticks }: Record<"queue" | "ticks", Numbers>,
): boolean {
  expect(Metrics.flatMap(({ Expression }) => Expression ?? [])).toEqual(["IF(queue >= 0, FILL(ticks, 0), 0)"]);
  const runs = queue.map((number, minute) =>
    number === undefined ? undefined : number >= 0 ? (ticks[minute] ?? 0) : 0,
  );
  return runs.filter((number) => number !== undefined && number < Threshold).length >= DatapointsToAlarm;
}

describe("alarms", () => {
  const alarms = Object.entries(readYaml<Resources>("infra/alarms.yml").Resources);

  test.each(alarms)("%s notifies the topic when it begins and when it ends", (_name, { Type, Properties }) => {
    expect(Type).toBe("AWS::CloudWatch::Alarm");
    expect(Properties["AlarmActions"]).toBe("${file(infra/params.cjs):alarmActions}");
    expect(Properties["OKActions"]).toEqual(Properties["AlarmActions"]);
    expect(Properties["AlarmDescription"]).toEqual(expect.any(String));
  });

  test("failing HPAs raise one by the number that tick publishes, for as long as sync's own limits say", () => {
    const { Properties } = resourceOf("infra/alarms.yml", "FailingHpasAlarm");
    expect(Properties).toMatchObject({ Namespace: "ebb", MetricName: "FailingHpas", Threshold: 0 });
    expect(Properties["Dimensions"]).toEqual([{ Name: "service", Value: "${self:service}-${sls:stage}" }]);
    // The HPAs' own time counts: the alarm adds none, and keeps its state while the tick is silent.
    expect(Properties).toMatchObject({ Statistic: "Maximum", EvaluationPeriods: 1, TreatMissingData: "ignore" });
    const { environment } = ownFunctions["sync"] as unknown as { readonly environment: object };
    expect(environment).toMatchObject({
      FAILING_MINUTES: "${param:failingMinutes}",
      FAILING_HOURS: "${param:failingHours}",
      HISTORY_DAYS: "${param:historyDays}",
    });
  });

  test("missing data raises no alarm: a metric that does not exist yet is missing, too", () => {
    for (const [name, { Properties }] of alarms)
      expect([name, ["notBreaching", "ignore"].includes(Properties["TreatMissingData"] as string)]).toEqual([
        name,
        true,
      ]);
  });

  test("one minute raises no alarm on a metric of AWS, which may be approximate or late", () => {
    const ofAws = alarms.filter(([, { Properties }]) => Properties["Namespace"] !== "ebb");
    expect(ofAws.length).toBeGreaterThan(5);
    for (const [name, { Properties }] of ofAws) {
      const { EvaluationPeriods: periods, DatapointsToAlarm: least = periods } = Properties;
      expect([name, Number(least)]).toEqual([name, expect.any(Number)]);
      expect(Number(least)).toBeGreaterThanOrEqual(2);
    }
  });

  test("a silent tick raises one by the minutes of which the slot queue has a number", () => {
    const { Properties } = resourceOf("infra/alarms.yml", "TickSilentAlarm");
    const silent = (queue: Numbers, ticks: Numbers) => isRaised(Properties as unknown as MathAlarm, { queue, ticks });
    const all = (number: number | undefined) => Array.from({ length: 10 }, () => number);
    // The newest minute is the last.
    expect(silent(all(0), all(1))).toBe(false);
    expect(silent(all(0), [...all(1).slice(4), ...all(undefined).slice(6)])).toBe(false); // four minutes late
    expect(silent(all(0), [...all(1).slice(5), ...all(undefined).slice(5)])).toBe(true);
    expect(silent(all(undefined), all(undefined))).toBe(false); // just deployed: neither has a number
    expect(silent([...all(undefined).slice(3), 0, 0, 0], [...all(undefined).slice(1), 1])).toBe(false);
    expect(silent(all(0), [1, undefined, 1, undefined, 1, undefined, 1, undefined, 1, undefined])).toBe(true);
  });
});

test("the bucket of the deployments is not public", () => {
  expect(stack.provider["deploymentBucket"]).toEqual({ blockPublicAccess: true });
});

test("every file of infra is part of the stack", () => {
  expect(stack.resources).toEqual(
    [
      ...["schedule.yml", "table.yml", "queues.yml", "roles.yml"],
      ...["keys.cjs", "network.cjs", "concurrency.cjs", "notify.cjs:resources"],
      ...["metrics.cjs:resources", "encryption.cjs"],
      ...["permissions-boundary.cjs", "alarms.yml", "dashboard.cjs", "outputs.yml"],
    ].map((file) => `\${file(infra/${file.replace(":", "):")}${file.includes(":") ? "" : ")"}}`),
  );
});

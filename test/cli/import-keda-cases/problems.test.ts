import { parse, stringify } from "yaml";
import { scaledObjectProblems } from "../../../cli/set-up/import/keda/problems";
import { convertScaledObject, sourceNames } from "../../../cli/set-up/import/keda/convert-scaled-object";
import { tableForTests } from "../table";

const { run, file } = tableForTests();

const objectOf = (spec: string, apiVersion = "keda.sh/v1alpha1") => ({
  apiVersion,
  kind: "ScaledObject",
  metadata: { name: "web", namespace: "shop" },
  spec: { scaleTargetRef: { name: "web" }, ...(parse(spec) as object) },
});
const redis = (more = "") => `triggers: [{type: redis, metadata: {address: "r:6379", listName: a${more}}}]`;

describe("an object that KEDA refuses is refused in its own words", () => {
  test.each<[string, string, readonly string[]]>([
    ["", "no triggers", ["spec.triggers: expected at least one trigger, got none"]],
    ["triggers: []", "an empty list", ["spec.triggers: expected at least one trigger, got none"]],
    [
      'triggers: [{type: redsi, metadata: {address: "r:6379"}}]',
      "a type that KEDA does not have",
      ['spec.triggers[0].type: expected a trigger of KEDA, such as prometheus, got "redsi"'],
    ],
    [
      `minReplicaCount: <MIN>\nmaxReplicaCount: "5"\n${redis()}`,
      "placeholders",
      [
        'spec.minReplicaCount: expected a whole number, got "<MIN>"',
        'spec.maxReplicaCount: expected a whole number, got "5"',
      ],
    ],
    [
      `minReplicaCount: 5\nmaxReplicaCount: 2\n${redis()}`,
      "bounds the wrong way round",
      ["spec.minReplicaCount: expected at most maxReplicaCount (2), got 5"],
    ],
    [
      `idleReplicaCount: 1\nminReplicaCount: 1\n${redis()}`,
      "an idle size that is not below the least",
      ["spec.idleReplicaCount: expected less than minReplicaCount (1), got 1"],
    ],
    [
      redis(', listLength: "<LENGTH>"'),
      "a target that is no number",
      ['spec.triggers[0].metadata.listLength: expected a whole number, got "<LENGTH>"'],
    ],
    [
      'triggers: [{type: memory, metadata: {value: "1Gi"}}]',
      "a metric of pods without a metricType",
      ["spec.triggers[0].metricType: expected Utilization or AverageValue, got nothing"],
    ],
    [
      'triggers: [{type: cpu, metricType: Utilization, metadata: {value: "1Gi"}}]',
      "a share that is none",
      ['spec.triggers[0].metadata.value: expected a whole number of percent, got "1Gi"'],
    ],
    [
      redis(', listLength: "{{ .Values.length }}"'),
      "a template",
      ["spec.triggers[0].metadata.listLength is part of a template: render it first, such as by helm template"],
    ],
    [
      `minReplicaCount: { "{ .Values.min }": }\n${redis()}`,
      "a template without quotes",
      ["spec.minReplicaCount is part of a template: render it first, such as by helm template"],
    ],
    [
      'triggers: [{type: prometheus, metadata: {serverAddress: "http://p", query: up, activationThreshold: "<A>"}}]',
      "no threshold",
      [
        "spec.triggers[0].metadata.threshold: expected a number, got nothing",
        'spec.triggers[0].metadata.activationThreshold: expected a number, got "<A>"',
      ],
    ],
    [
      redis(', listLength: "0"'),
      "a target of 0",
      ['spec.triggers[0].metadata.listLength: expected a number above 0, got "0"'],
    ],
    [
      redis(', enableTLS: "yes"'),
      "a flag that is none",
      ['spec.triggers[0].metadata.enableTLS: expected true or false, got "yes"'],
    ],
    [`maxReplicaCount: 0\n${redis()}`, "no size", ["spec.maxReplicaCount: expected a number above 0, got 0"]],
    [
      'triggers: [{type: aws-cloudwatch, metadata: {targetMetricValue: "5", awsRegion: eu, expression: SELECT 1, minMetricValue: "<MIN>", metricStatPeriod: "0"}}]',
      "a period and a least value that are none",
      [
        'spec.triggers[0].metadata.minMetricValue: expected a number, got "<MIN>"',
        'spec.triggers[0].metadata.metricStatPeriod: expected a whole number of seconds above 0, got "0"',
      ],
    ],
    [
      'triggers: [{type: cron, metadata: {timezone: UTC, start: 0 8 * * *, end: 0 9 * * *, desiredReplicas: "2.5"}}]',
      "a part of a replica",
      ['spec.triggers[0].metadata.desiredReplicas: expected a whole number, got "2.5"'],
    ],
    [
      "triggers: [{type: kubernetes-workload, metadata: {podSelector: a, valueFromEnv: N}}]",
      "a target that KEDA does not read elsewhere",
      ["spec.triggers[0].metadata.value: expected a number, got nothing"],
    ],
    [
      `advanced: {scalingModifiers: {formula: a, target: '1'}}\n${redis(', listLength: "0"')}`,
      "a target that a formula replaces",
      [],
    ],
    [
      redis().replace("metadata", "metricType: Utilization, metadata"),
      "a share of an external metric",
      ['spec.triggers[0].metricType: expected AverageValue or Value, got "Utilization"'],
    ],
    [
      'triggers: [{type: aws-cloudwatch, metadata: {targetMetricValue: "5", minMetricValue: "0", awsRegion: eu, dimensionName: A;B, dimensionValue: x}}]',
      "a dimension without a value",
      [
        'spec.triggers[0].metadata.dimensionValue: expected as many values as dimensionName has names (2), with semicolons, got "x"',
      ],
    ],
    [
      'triggers: [{type: aws-cloudwatch, metadata: {targetMetricValue: "5", minMetricValue: "0", awsRegion: eu, expression: SELECT 1, dimensionName: A}}]',
      "a dimension that an expression leaves out",
      [],
    ],
    ...["${NAME}", "Web", "a/b", ""].map((name): [string, string, readonly string[]] => [
      `scaleTargetRef: {name: ${JSON.stringify(name)}}\n${redis()}`,
      "a target that no workload can be",
      [`spec.scaleTargetRef.name: expected the name of a workload such as web, got ${JSON.stringify(name)}`],
    ]),
    [
      `scaleTargetRef: {kind: Deployment}\n${redis()}`,
      "no target",
      ["spec.scaleTargetRef.name: expected the name of a workload such as web, got nothing"],
    ],
    [
      `fallback: {failureThreshold: "<N>"}\n${redis()}`,
      "a fallback without numbers",
      [
        'spec.fallback.failureThreshold: expected a whole number, got "<N>"',
        "spec.fallback.replicas: expected a whole number, got nothing",
      ],
    ],
    [
      `fallback: {failureThreshold: 3, replicas: 1, behavior: stay}\n${redis()}`,
      "a fallback that KEDA does not have",
      [
        'spec.fallback.behavior: expected one of static, currentReplicas, currentReplicasIfHigher, currentReplicasIfLower, scalingModifiers, got "stay"',
      ],
    ],
    [
      `fallback: {failureThreshold: -1, replicas: -2, behavior: scalingModifiers}\n${redis()}`,
      "a fallback below zero, and one to a formula that is not there",
      [
        "spec.fallback.failureThreshold: expected a whole number, got -1",
        "spec.fallback.replicas: expected a whole number, got -2",
        "spec.fallback.behavior: expected a formula in spec.advanced.scalingModifiers for scalingModifiers, got none",
      ],
    ],
    [
      'fallback: {failureThreshold: 3, replicas: 1}\ntriggers: [{type: cpu, metricType: Utilization, metadata: {value: "50"}}]',
      "a fallback of no trigger",
      ["spec.fallback: expected a trigger besides cpu and memory, got none"],
    ],
    [
      'triggers: [{type: cpu, useCachedMetrics: true, metricType: Utilization, metadata: {value: "50"}}]',
      "a cache of what KEDA does not read",
      ["spec.triggers[0].useCachedMetrics: expected false for cpu, got true"],
    ],
    [
      `advanced: {scalingModifiers: {target: "<T>", activationTarget: x, metricType: Utilization}}\n${redis()}`,
      "modifiers without a formula",
      [
        "spec.advanced.scalingModifiers.formula: expected a formula, got nothing",
        'spec.advanced.scalingModifiers.target: expected 0.001 or more, got "<T>"',
        'spec.advanced.scalingModifiers.activationTarget: expected a number, got "x"',
        'spec.advanced.scalingModifiers.metricType: expected AverageValue or Value, got "Utilization"',
      ],
    ],
    [`advanced: {scalingModifiers: {}}\n${redis()}`, "no modifiers", []],
    [
      "triggers: [{type: mysql, name: a}, {type: mongodb}, {type: mysql, name: a}]",
      "two triggers of one name",
      ['spec.triggers[2].name: expected a name that spec.triggers[0] does not have, got "a"'],
    ],
    [redis(), "nothing wrong", []],
    [
      `${redis()}\nadvanced: {scalingModifiers: {formula: a, target: "0.0009"}}`,
      "a target of less than a thousandth",
      ['spec.advanced.scalingModifiers.target: expected 0.001 or more, got "0.0009"'],
    ],
    ['triggers: [{type: mysql, metadata: {queryValue: "4"}}]', "a type that ebb cannot read", []],
    ['triggers: [{type: cpu, metadata: {type: Utilization, value: "80"}}]', "the old place of metricType", []],
  ])("%j has %s", (spec, _what, problems) => {
    expect(scaledObjectProblems(objectOf(spec))).toEqual(problems);
  });

  test.each(["${JOBS}", "jobs-${ENV}", "$JOBS", "$(JOBS)", "<jobs>", "%JOBS%", "__JOBS__"])(
    "a placeholder: %s",
    (listName) => {
      const object = objectOf(redis().replace("listName: a", `listName: ${JSON.stringify(listName)}`));
      expect(convertScaledObject(object, { annotations: {}, namespace: "shop" }).problems).toEqual([
        "spec.triggers[0].metadata.listName: expected a value, got a placeholder: put the value there",
      ]);
    },
  );

  test.each(["jobs", "jobs:$1", "<", "a<b>", "100%", "__", "${1}", "{jobs}"])("no placeholder: %s", (listName) => {
    const object = objectOf(redis().replace("listName: a", `listName: ${JSON.stringify(listName)}`));
    expect(convertScaledObject(object, { annotations: {}, namespace: "shop" }).problems).toEqual([]);
  });

  test.each([
    [{}, "nothing"],
    [{ generateName: "web-" }, 'generateName "web-"'],
  ])("metadata %j has no name", (metadata, got) => {
    expect(scaledObjectProblems({ ...objectOf(redis()), metadata })).toEqual([
      `metadata.name: expected a name, got ${got}`,
    ]);
  });

  test("a pause at no number of replicas", () => {
    const name = "autoscaling.keda.sh/paused-replicas";
    const object = { ...objectOf(redis()), metadata: { name: "web", annotations: { [name]: "<N>" } } };
    expect(scaledObjectProblems(object)).toEqual([`metadata.annotations[${name}]: expected a whole number, got "<N>"`]);
  });

  test("one of KEDA 1 is named as one", () => {
    expect(scaledObjectProblems(objectOf(redis(), "keda.k8s.io/v1alpha1"))).toEqual([
      expect.stringContaining("is of KEDA 1 (keda.k8s.io)"),
    ]);
  });

  test("what apply would refuse, import says by the setting", async () => {
    const queueURL = "https://sqs.eu-west-1.amazonaws.com/123456789012/mail";
    const sqs = `triggers: [{type: aws-sqs-queue, metadata: {queueURL: "${queueURL}", awsRegion: "<REGION>"}}]`;
    const path = await file(stringify(objectOf(sqs)));
    const { stdout, stderr, exitCode } = await run(["import", "keda", path]);
    const why = 'expected an AWS region such as eu-west-1, got "<REGION>"';
    expect(stderr).toContain(`Warning: ScaledObject shop/web: spec.triggers[0].metadata.awsRegion: ${why}\n`);
    expect(exitCode).toBe(1);
    expect((await run(["validate", await file(stdout)])).stderr).toContain(why);
  });

  test("the others of the file are converted, and the exit status is 1", async () => {
    const path = await file(
      `${stringify(objectOf("triggers: []"))}---\n${stringify({ ...objectOf(redis()), metadata: { name: "ok" } })}`,
    );
    const { stdout, stderr, exitCode } = await run(["import", "keda", path]);
    expect(stdout).toContain("name: ok\n");
    expect(stderr).toContain(
      "Warning: ScaledObject shop/web: spec.triggers: expected at least one trigger, got none\n",
    );
    expect(exitCode).toBe(1);
    const checked = await run(["validate", "--import-keda", path]);
    expect(checked.stderr).toContain("spec.triggers: expected at least one trigger, got none\n");
  });
});

describe("the names of sources", () => {
  test("of two objects never meet", () => {
    const all = [
      ["a-b", "c"],
      ["a", "b-c"],
      ["a", "b.c"],
      ["a", "b"],
    ].flatMap(([namespace = "", name = ""]) => {
      const triggers = [{ type: "redis" }, { type: "redis", name: "c.redis" }, { type: "cron", name: "big/eu" }];
      return sourceNames({ namespace, name }, triggers).triggers;
    });
    expect(new Set(all).size).toBe(all.length);
  });

  test("of one object never meet either", () => {
    const triggers = [
      { type: "redis", name: "redis-1" },
      { type: "redis" },
      { type: "redis" },
      { type: "x", name: "formula" },
    ];
    expect(sourceNames({ namespace: "shop", name: "web" }, triggers)).toEqual({
      triggers: ["shop.web.redis-1", "shop.web.redis-1-1", "shop.web.redis-2", "shop.web.formula"],
      formula: "shop.web.formula-0",
    });
  });
});

describe("two different documents of one name", () => {
  const hpa = (maxReplicas: number) =>
    stringify({
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web", namespace: "shop" },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas },
    });

  test("are refused with both places, and equal ones are not", async () => {
    const [one, other] = [await file(hpa(3)), await file(hpa(4))];
    const { stderr } = await run(["validate", one, "-f", one]);
    expect(stderr).toBe("");
    for (const verb of ["apply", "create"]) {
      const refused = await run([verb, "-f", one, "-f", other, "--cluster", "prod"]);
      expect(refused.stderr).toContain(
        `${other}:1:1: horizontalpodautoscaler.autoscaling/web is there twice, and the two differ: the other is at ${one}:1:1. Keep one`,
      );
      expect(refused).toMatchObject({ stdout: "", exitCode: 1 });
    }
  });

  test("of two ScaledObjects are refused, too", async () => {
    const config = "advanced: {horizontalPodAutoscalerConfig: {name: same}}";
    const [a, b] = ["a", "b"].map((name) => ({
      ...objectOf(`${config}\n${redis(`, listLength: "${name === "a" ? 3 : 4}"`)}`),
      metadata: { name, namespace: "shop" },
    }));
    Object.assign(b?.["spec"] ?? {}, { scaleTargetRef: { name: "other" } });
    const path = await file(`${stringify(a)}---\n${stringify(b)}`);
    const { stderr, exitCode } = await run(["import", "keda", path]);
    expect(stderr).toContain(
      "Warning: ScaledObject shop/b: horizontalpodautoscaler.autoscaling/same is there twice, and the two differ: the other is at ScaledObject shop/a. Keep one\n",
    );
    expect(exitCode).toBe(1);
  });
});

import { styleText } from "node:util";
import fc from "fast-check";
import { formatGoLabelSelector } from "../../lib/k8s/selector/convert-selector";
import { hpaKey } from "../../lib/model/hpa-key";
import { lineReporter, shortMessage } from "../../local/line-reporter";
import { brokenCommand, type Paint } from "../../local/terminal-lines";

const at = new Date(2026, 2, 1, 12, 0, 5).getTime();

function reported(terminal?: Parameters<typeof lineReporter>[1]) {
  const lines: string[] = [];
  return { lines, reporter: lineReporter((line) => lines.push(line), terminal) };
}

const coloured = { paint: ((style, text) => styleText(style, text, { validateStream: false })) as Paint };

const scaled = {
  cluster: "prod",
  namespace: "shop",
  name: "orders",
  target: "Deployment/orders",
  from: 0,
  to: 4,
  reason: "SuccessfulRescale",
  message: "New size: 4; reason: x above target",
  at,
};

test("a line for each scaling: time, namespace/target, from → to, why", () => {
  const { lines, reporter } = reported();
  reporter.scaled(scaled);
  reporter.scaled({ ...scaled, reason: "Found", message: "somebody else" });
  expect(lines).toEqual([
    "12:00:05  shop/Deployment/orders  0 → 4  x above target",
    "12:00:05  shop/Deployment/orders  0 → 4  Found: somebody else",
  ]);
});

test.each([
  [5, 8, "New size: 8; reason: All metrics below target", "the highest recent recommendation"],
  [5, 8, "New size: 8; reason: ", "the highest recent recommendation"],
  [0, 2, "New size: 2; reason: ", "minReplicas, or the highest recent recommendation"],
  [8, 5, "New size: 5; reason: All metrics below target", "All metrics below target"],
])("from %d to %d, though upstream's event says %j", (from, to, message, why) => {
  const { lines, reporter } = reported();
  reporter.scaled({ ...scaled, from, to, message });
  expect(lines).toEqual([`12:00:05  shop/Deployment/orders  ${from} → ${to}  ${why}`]);
});

test("a colour each for up, down, trouble and its end", () => {
  const { lines, reporter } = reported(coloured);
  reporter.scaled(scaled);
  reporter.scaled({ ...scaled, from: 4, to: 0 });
  reporter.failed({ cluster: "prod", reason: "FailedGetScale", message: "no", at });
  reporter.recovered({ cluster: "prod" });
  // eslint-disable-next-line no-control-regex
  expect(lines.map((line) => /\u001b\[(\d+)m(.*?)\u001b/.exec(line)?.slice(1))).toEqual([
    ["32", "0 → 4"],
    ["36", "4 → 0"],
    ["33", "failed"],
    ["32", "ok"],
  ]);
});

const longName = "a".repeat(80);

test.each<[string, number, object, readonly string[]]>([
  [
    "fits",
    100,
    {
      message: `New size: 4; reason: external metric sqs(${formatGoLabelSelector({ matchLabels: { queue: "orders" } })}) above target`,
    },
    ["12:00:05  shop/Deployment/orders  0 → 4  external metric sqs(queue=orders) above target"],
  ],
  [
    "is broken under its text",
    72,
    { message: "New size: 4; reason: external metric payments(customer-events-by-region) above target" },
    [
      "12:00:05  shop/Deployment/orders  0 → 4  external metric",
      "                                         payments(customer-events-by-reg",
      "                                         ion) above target",
    ],
  ],
  [
    "is broken within a long word after a separator",
    80,
    { message: "no answer of https://sqs.eu-central-1.amazonaws.com/123456789012/orders" },
    [
      "12:00:05  shop/Deployment/orders  0 → 4  no answer of",
      "                                         https://sqs.eu-central-1.amazonaws.com/",
      "                                         123456789012/orders",
    ],
  ],
  [
    "goes below a name that leaves it no room",
    60,
    { message: "New size: 4; reason: pods metric requests_per_second_of_each_worker above target" },
    [
      "12:00:05  shop/Deployment/orders  0 → 4",
      "          pods metric requests_per_second_of_each_worker",
      "          above target",
    ],
  ],
  [
    "goes below a name longer than a line",
    60,
    { namespace: "shop", target: `Deployment/${longName}` },
    [
      "12:00:05",
      "          shop/Deployment/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "          aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "          0 → 4",
      "          x above target",
    ],
  ],
  [
    "is cut after eight lines",
    60,
    { message: "word ".repeat(100).trim() },
    [
      "12:00:05  shop/Deployment/orders  0 → 4",
      ...Array.from({ length: 7 }, () => `          ${"word ".repeat(10).trim()}`),
      `          ${"word ".repeat(10).trim().slice(0, -1)}…`,
    ],
  ],
])("a line %s", (_name, columns, given, expected) => {
  const { lines, reporter } = reported({ columns: () => columns });
  reporter.scaled({ ...scaled, ...given });
  expect(lines).toEqual(expected);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
});

test("columns are as wide as what they have shown, but for a name of more than half a line", () => {
  const { lines, reporter } = reported({ columns: () => 100 });
  reporter.scaled({ ...scaled, target: `Deployment/${longName}` });
  reporter.scaled(scaled);
  reporter.scaled({ ...scaled, target: "Job/x", from: 100, to: 1000 });
  reporter.failed({ cluster: "prod", key: hpaKey("shop", "orders"), reason: "FailedGetScale", message: "no", at });
  reporter.recovered({ cluster: "prod", key: hpaKey("shop", "orders") });
  expect(lines.slice(-4).map((line) => line.slice(10))).toEqual([
    "shop/Deployment/orders  0 → 4  x above target",
    "shop/Job/x              100 → 1000  x above target",
    "shop/orders             failed      FailedGetScale: no",
    "shop/orders             ok          recovered",
  ]);
});

const selector = formatGoLabelSelector;

test.each<[string, string]>([
  ["New size: 0; reason: All metrics below target", "All metrics below target"],
  ["New size: 3", "New size: 3"],
  [
    "New size: 2; reason: cpu resource utilization (percentage of request) above target",
    "cpu resource utilization above target",
  ],
  [
    `external metric sqs(${selector({ matchLabels: { region: "eu-west-1", queue: "https://sqs.eu-west-1.amazonaws.com/1/q,2" } })}) above target`,
    "external metric sqs(queue=https://sqs.eu-west-1.amazonaws.com/1/q,2,region=eu-west-1) above target",
  ],
  [
    `unable to get external metric shop/m/${selector({
      matchExpressions: [
        { key: "a", operator: "NotIn", values: ["x", "y"] },
        { key: "b", operator: "Exists" },
        { key: "c", operator: "DoesNotExist" },
      ],
    })}: it hangs`,
    "unable to get external metric shop/m/a notin (x,y),b,!c: it hangs",
  ],
  [`external metric m(${selector({})}) above target`, "external metric m above target"],
  [`external metric m(${selector(undefined)}) above target`, "external metric m above target"],
  ["f() of (nil) and &LabelSelector{ of nobody", "f() of (nil) and &LabelSelector{ of nobody"],
])("%s", (message, expected) => {
  expect(shortMessage(message)).toBe(expected);
});

test("a message of a backend cannot make the short form slow", () => {
  const parts = [
    "&LabelSelector{MatchLabels:map[string]string{",
    "a: ",
    ",",
    "},MatchExpressions:[]LabelSelectorRequirement{",
  ];
  for (const part of parts) {
    const message = part.repeat(Math.floor(4000 / part.length));
    expect(shortMessage(message)).toBe(message);
    expect(shortMessage(message.repeat(100))).toBe(message.repeat(100));
  }
});

test("a failure names the HPA, or the cluster and how many of its HPAs", () => {
  const { lines, reporter } = reported();
  const failure = { cluster: "prod", reason: "FailedGetScale", message: "connection refused", at };
  reporter.failed({ ...failure, key: "shop/orders" });
  reporter.failed({ ...failure, hpas: 51 });
  reporter.failed(failure);
  expect(lines).toEqual([
    "12:00:05  shop/orders  failed  FailedGetScale: connection refused",
    "12:00:05  cluster prod (51 HPAs)  failed  FailedGetScale: connection refused",
    "12:00:05  cluster prod            failed  FailedGetScale: connection refused",
  ]);
});

test("counts for the summary; syncs and ticks make no lines", () => {
  const { lines, reporter } = reported();
  const counts = { cluster: "prod", slot: 1, hpas: 1, scaled: 0, failed: 0, behind: 0, lagMs: 1, durationMs: 1 };
  reporter.synced({ ...counts, outcome: "synced" });
  reporter.synced({ ...counts, outcome: "late" });
  reporter.ticked({ clusters: 1, shards: 1, messages: 4, failing: 0 });
  expect(lines).toEqual([]);
  expect(reporter.totals).toEqual({ syncs: 1, scalings: 0, failures: 0 });
});

test("names and messages of others are shown escaped, each in its place", () => {
  const { lines, reporter } = reported(coloured);
  const evil = "x\n12:00:00  shop/web  9 → 0\r\u001b[2J\u009b31m\u0007\u202e\ty";
  reporter.scaled({ ...scaled, namespace: evil, target: evil, reason: evil, message: evil });
  const failure = { cluster: evil, reason: evil, message: evil, at };
  reporter.failed({ ...failure, key: hpaKey(evil, evil) });
  reporter.failed({ ...failure, hpas: 51 });
  reporter.recovered({ cluster: evil });
  reporter.recovered({ cluster: evil, key: hpaKey(evil, evil) });
  expect(lines).toHaveLength(5);
  const shown = "x\\n12:00:00  shop/web  9 → 0\\r^[[2J\\u009b31m\\u0007\\u202e\\ty";
  for (const line of lines) {
    // eslint-disable-next-line no-control-regex
    const text = line.replace(/\u001b\[\d+m/g, "");
    expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(text).toContain(shown);
  }
});

test("a command is broken so that a shell takes it as one", () => {
  const command = "A=.ebb/aws aws --profile ebb --region us-east-1 dynamodb --endpoint-url http://127.0.0.1:44311 scan";
  const lines = brokenCommand("  table     ", command, 60);
  expect(lines).toEqual([
    "  table     A=.ebb/aws aws --profile ebb --region \\",
    "             us-east-1 dynamodb --endpoint-url \\",
    "             http://127.0.0.1:44311 scan",
  ]);
  const typed = lines.join("\n").replace("  table     ", "").replaceAll("\\\n", "").replaceAll(/ +/g, " ");
  expect(typed).toBe(command);
  expect(brokenCommand("  x  ", "y".repeat(90), 60)).toEqual([`  x  ${"y".repeat(90)}`]);
});

test("whatever is reported fits the width, and loses no text before the last line", () => {
  const word = fc.string({ minLength: 1, maxLength: 60 });
  const text = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(" "));
  const given = fc.record({ namespace: word, target: word, message: text, from: fc.nat(), to: fc.nat() });
  fc.assert(
    fc.property(fc.array(given, { minLength: 1, maxLength: 5 }), fc.integer({ min: 40, max: 200 }), (all, columns) => {
      const { lines, reporter } = reported({ columns: () => columns });
      for (const one of all) {
        const before = lines.length;
        reporter.scaled({ ...scaled, ...one });
        const printed = lines.slice(before);
        for (const line of printed) expect(line.length).toBeLessThanOrEqual(columns);
        const bare = (shown: string) => shown.replaceAll(/\s/g, "");
        const whole = reportedAlone({ ...scaled, ...one });
        const last = printed.at(-1) ?? "";
        if (last.endsWith("…")) expect(bare(whole)).toContain(bare(printed.slice(0, -1).join("")));
        else expect(bare(printed.join(""))).toBe(bare(whole));
      }
    }),
  );
});

function reportedAlone(line: Parameters<ReturnType<typeof lineReporter>["scaled"]>[0]): string {
  const { lines, reporter } = reported();
  reporter.scaled(line);
  return lines.join("");
}

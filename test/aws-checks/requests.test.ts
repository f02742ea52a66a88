import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runPython } from "./python";
import type { RecordedRequest } from "./record-requests";

/** What ebb's clients send in the unit suites, beside botocore's models of the services. */
const root = resolve(__dirname, "../..");
const suites = [
  ...["test/aws", "test/table/store", "test/table/reads", "test/secrets", "test/cluster/auth"],
  ...["test/sources/sqs", "test/sources/cloudwatch"],
];

interface Verdict {
  /** By "service:Operation". */
  readonly counts: Readonly<Record<string, number>>;
  /** "service:Operation: what is wrong" */
  readonly problems: Readonly<Record<string, number>>;
}

const folder = mkdtempSync(join(tmpdir(), "ebb-aws-requests-"));
const file = join(folder, "requests.jsonl");
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  const jest = join(root, "node_modules/jest/bin/jest.js");
  const env = { ...process.env, EBB_TEST_REQUESTS: file, NODE_OPTIONS: "" };
  execFileSync(process.execPath, [jest, ...suites], { cwd: root, env, stdio: "pipe" });
});

const validated = (path: string) => runPython<Verdict>("botocore", "validate_requests.py", { file: path });

/** The operations that the code names. STS and EKS are asked by requests of ebb's own. */
function namedOperations(): readonly string[] {
  const sources = ["lib", "cli", "functions"].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => readFileSync(join(root, name, path), "utf8")),
  );
  const named = sources.flatMap((text) => [...text.matchAll(/new ([A-Z]\w+)Command\(/g)].map(([, name = ""]) => name));
  // RootCommand is commander's. ListTables is never sent: lib/aws/sdk/sdk-resolution.ts asks the SDK where it would go.
  return [...new Set([...named, "AssumeRole", "DescribeCluster"])].filter(
    (name) => !["Root", "ListTables"].includes(name),
  );
}

test("each operation is as the service's model says", () => {
  const { counts, problems } = validated(file);
  const seen = new Set(Object.keys(counts).map((key) => key.split(":")[1] ?? ""));
  const named = namedOperations();
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((operation) => !seen.has(operation))).toEqual([]);
  // Suites also send what only tests send, some of it beyond the limits.
  const own = Object.entries(problems).filter(([text]) => named.includes(text.split(":")[1]?.trim() ?? ""));
  expect(own).toEqual([]);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(3_000);
});

/** One recorded request, changed: the check must see it. */
const spoiled: readonly (readonly [string, string, (request: RecordedRequest) => RecordedRequest, RegExp])[] = [
  [
    "a member that the operation does not have",
    "GetQueueAttributes",
    (request) => withBody(request, (body) => ({ ...body, Attributes: ["All"] })),
    /Attributes: no such member/,
  ],
  [
    "a value that is not in the enum",
    "GetQueueAttributes",
    (request) => withBody(request, (body) => ({ ...body, AttributeNames: ["ApproximateNumber"] })),
    /'ApproximateNumber' is none of All/,
  ],
  ["a number as text", "Query", (request) => withBody(request, (body) => ({ ...body, Limit: "10" })), /Limit/],
  [
    "a batch that is too long",
    "BatchWriteItem",
    (request) =>
      withBody(request, (body) => {
        const [[table = "", writes] = []] = Object.entries(body["RequestItems"] as Record<string, unknown[]>);
        return { RequestItems: { [table]: Array.from({ length: 26 }, () => writes?.[0]) } };
      }),
    /26 elements, expected 1 to 25/,
  ],
  [
    "another protocol's content type",
    "GetSecretValue",
    (request) => ({ ...request, headers: { ...request.headers, "content-type": "application/x-amz-json-1.0" } }),
    /expected application\/x-amz-json-1\.1/,
  ],
  [
    "an operation that does not exist",
    "PutItem",
    (request) => ({ ...request, headers: { ...request.headers, "x-amz-target": "DynamoDB_20120810.PutItems" } }),
    /no such operation/,
  ],
  [
    "a header that is not signed",
    "PutItem",
    (request) => ({ ...request, headers: { ...request.headers, "x-amz-other": "1" } }),
    /not signed: x-amz-other/,
  ],
  ["a path that EKS does not serve", "/clusters/", (request) => ({ ...request, path: "/cluster/prod" }), /no such/],
];

function withBody(
  request: RecordedRequest,
  change: (body: Readonly<Record<string, unknown>>) => object,
): RecordedRequest {
  const body = JSON.parse(Buffer.from(request.body, "base64").toString("utf8")) as Record<string, unknown>;
  return { ...request, body: Buffer.from(JSON.stringify(change(body))).toString("base64") };
}

test("the check sees what is wrong", () => {
  const requests = readFileSync(file, "utf8").trim().split("\n");
  const changed = join(folder, "changed.jsonl");
  writeFileSync(changed, "");
  for (const [what, operation, change] of spoiled) {
    const line = requests.find((text) => text.includes(operation) && !text.includes("Transact"));
    if (line === undefined) throw new Error(`${what}: expected a request of ${operation}, got none`);
    appendFileSync(changed, `${JSON.stringify(change(JSON.parse(line) as RecordedRequest))}\n`);
  }
  const problems = Object.keys(validated(changed).problems);
  for (const [what, , , expected] of spoiled)
    expect([what, problems.some((problem) => expected.test(problem))]).toEqual([what, true]);
});

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtOnce } from "../built-once";

/** The bundles as they are deployed, each checked in a Node process that has loaded nothing else. */
const root = join(__dirname, "../..");
const own = mkdtempSync(join(tmpdir(), "ebb-bundle-"));
let folder: string;
let inputs: readonly string[];

function run(script: string, type: "module" | "commonjs" = "commonjs"): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [`--input-type=${type}`, "-e", script], {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
    env: {
      ...process.env,
      NODE_NO_WARNINGS: "1",
      AWS_REGION: "eu-west-1",
      AWS_ACCESS_KEY_ID: "key",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_ENDPOINT_URL: "http://127.0.0.1:1", // where nothing listens
      TABLE_NAME: "ebb",
      QUEUE_URL: "http://127.0.0.1:1/1/slots",
    },
  });
  if (status !== 0) throw new Error(`expected exit status 0, got ${status}: ${stderr}`);
  return stderr + stdout;
}

const lastLine = (text: string) => JSON.parse(text.trim().split("\n").at(-1) ?? "") as unknown;
const required = (name: string) => `require(${JSON.stringify(join(folder, name))})`;

beforeAll(() => {
  const probe = "test/functions/fixtures/kubeconfig-probe.ts";
  folder = builtOnce("functions", [probe], (draft) => {
    const output = run(
      `import { bundleFunctions } from "./scripts/bundles.mjs";
       const { inputs } = await bundleFunctions(${JSON.stringify(draft)}, ${JSON.stringify({ probe })});
       console.log(JSON.stringify(Object.keys(inputs)));`,
      "module",
    );
    writeFileSync(join(draft, "inputs.json"), JSON.stringify(lastLine(output)));
  });
  inputs = JSON.parse(readFileSync(join(folder, "inputs.json"), "utf8")) as string[];
}, 60_000);

afterAll(() => rmSync(own, { recursive: true, force: true }));

test("a cold start loads one file, and needs no node_modules", () => {
  const script = `${required("sync.js")}; console.log(JSON.stringify(Object.keys(require.cache)))`;
  expect(lastLine(run(script))).toEqual([join(folder, "sync.js")]);
});

test("what schemas are written and compiled with stays at build time", () => {
  expect(inputs).toContain("lib/model/validators/cluster-spec.ts");
  const ofBuild = /lib\/(k8s|model)\/schema\/|node_modules\/(typebox|ajv)\//;
  expect(inputs.filter((input) => ofBuild.test(input))).toEqual([]);
});

test("the client of Redis prints no command, whatever DEBUG says", () => {
  const code = readFileSync(join(folder, "source-redis.js"), "utf8");
  expect(code).toContain("ioredis");
  expect(code).not.toContain("process.env.DEBUG");
});

test("what people read of a kind of metric source stays out", () => {
  expect(inputs).toContain("lib/sources/sqs/kind.ts");
  const forPeople = /lib\/sources\/(.*\/)?(describe|description|descriptions|keda|field-schema)\.ts$/;
  expect(inputs.filter((input) => forPeople.test(input))).toEqual([]);
});

test("each function exports an async handler of event and context: nodejs24.x calls no others", () => {
  const names = ["tick", "wake", "sync", "watch", "notify"];
  const handlers = names.map((name) => `${required(`${name}.js`)}.handler`).join();
  const script = `console.log(JSON.stringify([${handlers}].map((handler) =>
    [typeof handler, handler.length, handler.constructor.name])))`;
  expect(lastLine(run(script))).toEqual(names.map(() => ["function", 2, "AsyncFunction"]));
});

/** As Lambda's runtime gives it to a function that streams. */
const streaming = `globalThis.awslambda = { streamifyResponse: (handler) => Object.assign(handler, { streams: true }) };`;

test("metrics streams, and loads no client of the SDK with its one file", () => {
  const script = `${streaming} const { handler } = ${required("metrics.js")};
    console.log(JSON.stringify([handler.streams, handler.length, Object.keys(require.cache)]))`;
  expect(lastLine(run(script))).toEqual([true, 3, [join(folder, "metrics.js")]]);
});

test("the clients of SNS and EventBridge are in one file, which notify alone loads, and late", () => {
  const having = (text: string) =>
    readdirSync(folder).filter(
      (file) => file.endsWith(".js") && readFileSync(join(folder, file), "utf8").includes(text),
    );
  expect(having("PublishBatchRequestEntries")).toEqual(["publishers.js"]);
  expect(having("PutEvents")).toEqual(["publishers.js"]);
  expect(having("./publishers.js")).toEqual(["notify.js"]);
  const script = `${required("notify.js")}; console.log(JSON.stringify(Object.keys(require.cache)))`;
  expect(lastLine(run(script))).toEqual([join(folder, "notify.js")]);
});

test("sync answers a batch: a malformed message fails alone in the log and in the answer", () => {
  const event = { Records: [{ messageId: "m0", receiptHandle: "r0", body: "<html>" }] };
  const output = run(`
    ${required("sync.js")}.handler(${JSON.stringify(event)}, { awsRequestId: "1", getRemainingTimeInMillis: () => 20000 })
      .then((answer) => console.log(JSON.stringify(answer)));
  `);
  expect(lastLine(output)).toEqual({ batchItemFailures: [{ itemIdentifier: "m0" }] });
  expect(output).toContain("queue message: expected JSON, got <html>");
  expect(output).toContain('"MessagesFailed":1');
});

describe("a kubeconfig", () => {
  const probe = (file: string) =>
    lastLine(
      run(`${required("probe.js")}.probe(${JSON.stringify(file)}).then((said) => console.log(JSON.stringify([said,
        Object.keys(require.cache).some((loaded) => loaded.endsWith("kubeconfig-auth.js"))])))`),
    );

  test("is read by the file beside the bundle", () => {
    const file = join(own, "kubeconfig.yaml");
    writeFileSync(
      file,
      JSON.stringify({
        clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
        users: [{ name: "u", user: { token: "t" } }],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      }),
    );
    expect(probe(file)).toEqual(["connected", true]);
  });

  test("that is malformed is a Fault to the bundle, though the other file made it", () => {
    const file = join(own, "none.yaml");
    writeFileSync(file, "just: text");
    expect(probe(file)).toEqual([expect.stringMatching(/^Fault badEntry: /), true]);
  });
});

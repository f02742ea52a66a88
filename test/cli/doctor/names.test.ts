import { tableForTests } from "../table";

/** Entries by hand whose documents name others, and names that are misspelt on the command line. */
const { run, byHand, folder, register, clear } = tableForTests();
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const spec = { scaleTargetRef, maxReplicas: 5 };
const ebb = (...args: readonly string[]) => run([...args, "--directory", folder()]);
const there = () => `--directory ${folder()}`;
/** The lines about entries. */
const entryLines = async () =>
  (await ebb("doctor", "prod")).stdout.split("\n").filter((line) => /is valid|are valid|has its name/.test(line));

beforeEach(() => register("prod"));
afterEach(() => clear("prod"));

test("an HPA with another name than its key's is called by its key, as get calls it, and opened by it", async () => {
  await byHand({ pk: "CLUSTER#prod", sk: "HPA#shop/web", metadata: { name: "other" }, spec });
  expect(await entryLines()).toEqual([
    '  FAIL  HPA shop/web is valid: metadata: expected the name "shop/web" as in the sort key, got "shop/other" → ' +
      `fix its entry: \`ebb edit hpa web -n shop --cluster prod ${there()}\``,
  ]);
});

test("one with a malformed key is called by it, and what is advised removes it", async () => {
  await byHand({ pk: "CLUSTER#prod", sk: "HPA#noslash", spec });
  expect(await entryLines()).toEqual([
    '  FAIL  HPA HPA#noslash is valid: sort key: expected "HPA#<namespace>/<name>", got "HPA#noslash" → ' +
      `keep what it holds (\`ebb get hpa 'HPA#noslash' -o yaml --cluster prod ${there()}\`), delete it ` +
      `(\`ebb delete hpa 'HPA#noslash' --cluster prod ${there()}\`), and apply it with a metadata.namespace and a metadata.name`,
  ]);
  expect((await ebb("get", "hpa", "HPA#noslash", "-o", "yaml", "--cluster", "prod")).stdout).toContain(
    "maxReplicas: 5",
  );
  expect((await ebb("delete", "hpa", "HPA#noslash", "--cluster", "prod")).exitCode).toBe(0);
  expect(await entryLines()).toEqual(["  ok    0 HPAs are valid"]);
});

test("a source without a name is replaced, as no edit can name it", async () => {
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#", spec: { kind: "sqs", parameters: { queue: "jobs" } } });
  expect(await entryLines()).toEqual([
    '  FAIL  source  is valid: sk: expected "SOURCE#<name>", a name without control characters, got "SOURCE#" → ' +
      `keep what it holds (\`ebb get source '' -o yaml --cluster prod ${there()}\`), delete it ` +
      `(\`ebb delete source '' --cluster prod ${there()}\`), and apply it with a metadata.name`,
  ]);
  expect((await ebb("get", "source", "", "-o", "yaml", "--cluster", "prod")).stdout).toContain("queue: jobs");
  expect((await ebb("delete", "source", "", "--cluster", "prod")).exitCode).toBe(0);
  expect(await entryLines()).toEqual(["  ok    0 HPAs are valid"]);
});

test("a source and a cluster with other names in their documents", async () => {
  const metadata = { name: "other" };
  await byHand({
    pk: "CLUSTER#prod",
    sk: "SOURCE#jobs",
    metadata,
    spec: { kind: "sqs", parameters: { queue: "jobs" } },
  });
  const auth = { type: "kubeconfig", file: "/nowhere" };
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", metadata, spec: { auth } });
  expect(await entryLines()).toEqual([
    "  ok    0 HPAs are valid",
    '  FAIL  its document has its name: metadata: expected the name "prod" as in the partition key, got "other" → ' +
      `set metadata.name: \`ebb edit cluster prod ${there()}\``,
    '  FAIL  the document of source jobs has its name: metadata: expected the name "jobs" as in the sort key, got "other" → ' +
      `set metadata.name: \`ebb edit source jobs --cluster prod ${there()}\``,
  ]);
});

describe("a name on the command line that nothing has", () => {
  beforeEach(() => byHand({ pk: "CLUSTER#prod", sk: "HPA#shop/web", spec }));

  test("a cluster", async () => {
    expect((await ebb("doctor", "prd")).stderr).toMatch(/clusters\.ebb\.dev "prd" not found; did you mean prod\?\n$/);
    expect((await ebb("status", "--cluster", "prd")).stderr).toMatch(/did you mean prod\?\n$/);
  });

  test("a namespace: nothing in it was checked, so the exit code is 1", async () => {
    const { stderr, exitCode } = await ebb("doctor", "prod", "-n", "shpo");
    expect([stderr, exitCode]).toEqual(["error: no HPA is in namespace shpo; did you mean shop?\n", 1]);
    expect((await ebb("doctor", "prod", "-n", "payments")).stderr).toBe(
      "error: no HPA is in namespace payments; there are HPAs in shop\n",
    );
    expect((await ebb("doctor", "prod", "-n", "shop")).stderr).not.toContain("no HPA");
  });

  test("ebb status says so before its tables", async () => {
    const { stdout } = await ebb("status", "-n", "shpo");
    expect(stdout.split("\n")[0]).toBe("no HPA is in namespace shpo; did you mean shop?");
  });
});

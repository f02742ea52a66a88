import type { EntryRef } from "../../lib/model/ports/entries";
import { tableForTests } from "./table";

const { byHand, run, file, stored, clear } = tableForTests();

const web: EntryRef = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "default", name: "web" };
const hpa = (name: string, maxReplicas = 5) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name} }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }, maxReplicas: ${maxReplicas} }
`;
const object = "horizontalpodautoscaler.autoscaling";
const plural = "horizontalpodautoscalers.autoscaling";

beforeEach(() =>
  byHand({
    pk: "CLUSTER#prod",
    sk: "CLUSTER",
    spec: { endpoint: "https://a.example", auth: { type: "token", secret: "ebb/prod" } },
  }),
);
afterEach(() => clear("prod"));

test("create writes what is new, and leaves what exists", async () => {
  const [one, both] = [await file(hpa("web")), await file(`${hpa("web", 9)}---\n${hpa("orders")}`)];
  expect(await run(["create", "-f", one])).toEqual({ stdout: `${object}/web created\n`, stderr: "", exitCode: 0 });
  expect(await run(["create", "-f", both])).toEqual({
    stdout: `${object}/orders created\n`,
    stderr: `Error from server (AlreadyExists): error when creating "${both}": ${plural} "web" already exists\n`,
    exitCode: 1,
  });
  expect((await stored(web)).document["spec"]).toMatchObject({ maxReplicas: 5 });
});

test.each<[string, string]>([
  ["client", `${object}/web created (dry run)\n`],
  ["server", ""],
])("create --dry-run=%s of what exists, as kubectl's", async (strategy, stdout) => {
  const given = await file(hpa("web"));
  await run(["create", "-f", given]);
  expect(await run(["create", `--dry-run=${strategy}`, "-f", given])).toMatchObject({ stdout });
});

test("create -o prints one document after the other", async () => {
  const { stdout } = await run([
    "create",
    "--dry-run=client",
    "-o",
    "yaml",
    "-f",
    await file(`${hpa("a")}---\n${hpa("b")}`),
  ]);
  expect(stdout.split("---\n").map((text) => /^ {2}name: (\w)$/m.exec(text)?.[1])).toEqual(["a", "b"]);
  expect(
    (await run(["create", "--dry-run", "-o", "jsonpath={.metadata.name}", "-f", await file(hpa("a"))])).stdout,
  ).toBe("a");
});

test("replace makes the entry what the file says, a pause included", async () => {
  const [before, after] = [await file(hpa("web")), await file(hpa("web", 9))];
  await run(["create", "-f", before]);
  await run(["pause", "hpa", "web"]);
  expect(await run(["replace", "--dry-run=server", "-f", after])).toMatchObject({
    stdout: `${object}/web replaced (server dry run)\n`,
  });
  expect((await stored(web)).document).toMatchObject({ metadata: { annotations: { "ebb.dev/paused": "true" } } });
  expect(await run(["replace", "-f", after])).toEqual({ stdout: `${object}/web replaced\n`, stderr: "", exitCode: 0 });
  const { metadata, spec } = (await stored(web)).document as { metadata: object; spec: object };
  expect([metadata, spec]).toMatchObject([{ generation: 2 }, { maxReplicas: 9 }]);
  expect(metadata).not.toHaveProperty("annotations");
});

test("replace of what does not exist", async () => {
  const given = await file(hpa("web"));
  expect(await run(["replace", "-f", given])).toEqual({
    stdout: "",
    stderr: `Error from server (NotFound): error when replacing "${given}": ${plural} "web" not found\n`,
    exitCode: 1,
  });
});

test.each(["create", "replace"])("%s needs files", async (verb) => {
  expect(await run([verb])).toEqual({ stdout: "", stderr: "error: must specify one of -f and -k\n", exitCode: 1 });
});

describe("a document with a generateName alone", () => {
  const generated = (prefix = "web-") => hpa("web").replace("name: web }\nspec", `generateName: ${prefix} }\nspec`);

  test("create makes names of it", async () => {
    const path = await file(`${generated()}---\n${generated()}---\n${generated("x".repeat(70))}`);
    const { stdout, exitCode } = await run(["create", "-f", path]);
    const names = stdout.trim().split("\n");
    expect(names).toEqual([
      expect.stringMatching(/^horizontalpodautoscaler\.autoscaling\/web-[b-z2-9]{5} created$/),
      expect.stringMatching(/web-[b-z2-9]{5} created$/),
      expect.stringMatching(/\/x{58}[b-z2-9]{5} created$/),
    ]);
    expect(new Set(names).size).toBe(3);
    expect(exitCode).toBe(0);
    const name = /web-\w+/.exec(stdout)?.[0] ?? "";
    expect((await stored({ ...web, name })).document["metadata"]).toMatchObject({ name, generation: 1 });
  });

  test("validate finds it valid", async () => {
    const { stdout } = await run(["validate", await file(generated())]);
    expect(stdout).toBe(`${object}/web-… valid\n`);
  });

  test.each<[string, string]>([
    ["apply", "from web-: cannot use generate name with apply"],
    ["replace", "resource name may not be empty"],
    ["delete", "resource name may not be empty"],
    ["diff", "resource name may not be empty"],
  ])("%s has no name to work with", async (verb, text) => {
    const path = await file(generated());
    const { stderr, exitCode } = await run([verb, "-f", path]);
    expect(stderr).toBe(`error: ${path}:1:1: ${text}\n`);
    expect(exitCode).not.toBe(0);
  });

  test("is still refused for what no name may begin with", async () => {
    const { stderr } = await run(["create", "-f", await file(generated("Web_"))]);
    expect(stderr).toContain('metadata.generateName: Invalid value: "Web_"');
  });
});

import { chmod, readFile } from "node:fs/promises";
import { tableForTests } from "./table";

/** An item by Terraform or by hand, whose document names another object than its key does. */
const { run, byHand, file, folder, stored, clear, register } = tableForTests();
const spec = {
  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
  maxReplicas: 5,
};
const ebb = (...args: readonly string[]) => run([...args, "--cluster", "demo", "--directory", folder()]);
const web = { kind: "HorizontalPodAutoscaler", cluster: "demo", namespace: "shop", name: "web" } as const;

beforeEach(async () => {
  await register("demo");
  await byHand({ pk: "CLUSTER#demo", sk: "HPA#shop/web", metadata: { name: "other" }, spec });
});
afterEach(() => clear("demo"));

/** Edits with a shell script, whose $1 is the file. */
async function edit(script: string, args: readonly string[]) {
  const path = await file(`#!/bin/sh\n${script}\n`, "editor.sh");
  await chmod(path, 0o755);
  return run(["edit", ...args, "--cluster", "demo"], { env: { EBB_EDITOR: `'${path}'` } });
}

const problem = 'metadata: expected the name "shop/web" as in the sort key, got "shop/other"';

test.each<[string, readonly string[]]>([
  ["get", ["get", "hpa", "-n", "shop"]],
  ["describe", ["describe", "hpa", "web", "-n", "shop"]],
  ["explain", ["explain", "hpa", "web", "-n", "shop"]],
  ["status", ["status"]],
])("ebb %s calls it by its key, and says that its name is another", async (_, args) => {
  const { stdout } = await ebb(...args);
  expect(stdout).toContain(problem);
  expect(stdout).toMatch(/\bweb\b/);
});

test("as data it is as the table has it, and stderr says that ebb does not use it", async () => {
  for (const format of ["jsonpath={.metadata.name}", "json", "yaml"]) {
    const { stdout, stderr } = await ebb("get", "hpa", "web", "-n", "shop", "-o", format);
    expect(stdout).toContain("other");
    expect(stderr).toBe(`Warning: HPA shop/web is invalid, and ebb does not sync it: ${problem}\n`);
  }
  expect((await ebb("get", "hpa", "-n", "shop", "-o", "name")).stdout).toBe(
    "horizontalpodautoscaler.autoscaling/web\n",
  );
});

test("no command finds it by the name in its document", async () => {
  for (const verb of [["explain"], ["delete"], ["pause"], ["label"], ["edit"]]) {
    const { stderr, exitCode } = await ebb(
      ...verb,
      "hpa",
      "other",
      ...(verb[0] === "label" ? ["a=b"] : []),
      "-n",
      "shop",
    );
    expect([stderr, exitCode]).toEqual([expect.stringContaining('"other" not found'), 1]);
  }
});

test("ebb edit says what is wrong, and writes the right name even if nothing else changes", async () => {
  const seen = await file("", "seen.yaml");
  const ran = await edit(`cp $1 ${seen}; sed -i.bak 's/name: other/name: web/' $1`, ["hpa", "web", "-n", "shop"]);
  expect(ran).toEqual({ stdout: "horizontalpodautoscaler.autoscaling/web edited\n", stderr: "", exitCode: 0 });
  expect(await readFile(seen, "utf8")).toContain(`# * ${problem}\n`);
  expect((await stored(web)).document).toMatchObject({ metadata: { name: "web" } });
  expect((await ebb("get", "hpa", "-n", "shop")).stdout).not.toContain("<invalid>");
});

test("ebb edit without a change writes nothing", async () => {
  expect((await edit(":", ["hpa", "web", "-n", "shop"])).stderr).toBe("Edit cancelled, no changes made.\n");
});

test("a save that keeps the other name says which one is expected", async () => {
  const { stderr } = await edit("sed -i.bak 's/maxReplicas: 5/maxReplicas: 6/' $1", ["hpa", "web", "-n", "shop"]);
  expect(stderr).toContain("expected HorizontalPodAutoscaler shop/web, got HorizontalPodAutoscaler shop/other");
});

test("a namespace that differs is as wrong as a name", async () => {
  await byHand({ pk: "CLUSTER#demo", sk: "HPA#shop/web", metadata: { namespace: "team" }, spec });
  expect((await ebb("get", "hpa", "-n", "shop")).stdout).toContain('got "team/web"');
  expect(
    (await edit("sed -i.bak 's/namespace: team/namespace: shop/' $1", ["hpa", "web", "-n", "shop"])).exitCode,
  ).toBe(0);
  expect((await stored(web)).document).toMatchObject({ metadata: { namespace: "shop", name: "web" } });
});

test("ebb apply of the right name fixes it, though nothing else changes", async () => {
  const document = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace: "shop", name: "web" },
  };
  const { stdout } = await ebb("apply", "-f", await file(JSON.stringify({ ...document, spec })));
  expect(stdout).toBe("horizontalpodautoscaler.autoscaling/web configured\n");
  expect((await stored(web)).document).toMatchObject({ metadata: { name: "web" } });
});

test("ebb delete removes it", async () => {
  expect((await ebb("delete", "hpa", "web", "-n", "shop")).exitCode).toBe(0);
  expect((await ebb("get", "hpa", "-A")).stderr).toBe("No resources found\n");
});

test.each(["HPA#noslash", "HPA#a/b/c", "HPA#/web", "HPA#shop/"])(
  "an HPA with the malformed key %s is called by it: get, describe, explain, edit and delete take it",
  async (sk) => {
    await ebb("delete", "hpa", "web", "-n", "shop");
    await byHand({ pk: "CLUSTER#demo", sk, spec });
    const wrong = `sort key: expected "HPA#<namespace>/<name>", got "${sk}"`;
    expect((await ebb("get", "hpa", "-A")).stdout).toMatch(new RegExp(`^ +${sk} +<invalid> +sort key: expected`, "m"));
    for (const verb of ["describe", "explain"]) expect((await ebb(verb, "hpa", sk)).stdout).toContain(wrong);
    const seen = await file("", "seen.yaml");
    await edit(`cp $1 ${seen}`, ["hpa", sk]);
    expect(await readFile(seen, "utf8")).toContain(`# * ${wrong}\n`);
    expect(await ebb("delete", "hpa", sk)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(sk) as string,
    });
    expect((await ebb("get", "hpa", "-A")).stderr).toBe("No resources found\n");
  },
);

test("so is one that is deleted with the others of all namespaces", async () => {
  await byHand({ pk: "CLUSTER#demo", sk: "HPA#noslash", spec });
  expect((await ebb("delete", "hpa", "--all", "-A")).exitCode).toBe(0);
  expect((await ebb("get", "hpa", "-A")).stderr).toBe("No resources found\n");
});

test.each<[string, string, object, string]>([
  ["source", "SOURCE#jobs", { kind: "sqs", parameters: { queue: "jobs" } }, "jobs"],
  ["cluster", "CLUSTER", { endpoint: "https://k8s.example.com", auth: { type: "token", secret: "ebb/demo" } }, "demo"],
])(
  "a %s with another name in its document is used by its key's; edit and apply write that name",
  async (kind, sk, own, name) => {
    await byHand({ pk: "CLUSTER#demo", sk, metadata: { name: "other" }, spec: own });
    const seen = await file("", "seen.yaml");
    const ran = await edit(`cp $1 ${seen}; sed -i.bak 's/name: other/name: ${name}/' $1`, [kind, name]);
    expect(ran).toMatchObject({ stdout: expect.stringContaining(" edited\n") as string, stderr: "" });
    expect(await readFile(seen, "utf8")).toMatch(
      new RegExp(`# \\* metadata: expected the name "${name}" as in the (sort|partition) key, got "other"`),
    );
    expect((await ebb("get", kind, name, "-o", "jsonpath={.metadata.name}")).stdout).toBe(name);
  },
);

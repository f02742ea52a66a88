import { existsSync } from "node:fs";
import { chmod, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { EntryRef } from "../../lib/model/ports/entries";
import { tableForTests } from "./table";

const { run, register, file, stored, clear, byHand, beforeNextWrite } = tableForTests();

const web: EntryRef = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "web" };
const hpa = (max = 5) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop, annotations: {ebb.dev/paused: "true"}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: ${max}
`;

beforeEach(async () => {
  await register("prod");
  await run(["apply", "-f", await file(hpa()), "--cluster", "prod"]);
});
afterEach(() => clear("prod"));

/** Edits with a shell script, whose $1 is the file. */
async function edit(script: string, args: readonly string[] = ["hpa", "web", "-n", "shop"]) {
  const path = await file(`#!/bin/sh\n${script}\n`, "editor.sh");
  await chmod(path, 0o755);
  return run(["edit", ...args, "--cluster", "prod"], { env: { EBB_EDITOR: `'${path}'` } });
}

const keptFile = (stderr: string): string => /stored to "([^"]+)"/.exec(stderr)?.[1] ?? "";

test("a saved change is written as a new generation", async () => {
  expect(await edit("sed -i.bak 's/maxReplicas: 5/maxReplicas: 6/' $1")).toEqual({
    stdout: "horizontalpodautoscaler.autoscaling/web edited\n",
    stderr: "",
    exitCode: 0,
  });
  expect((await stored(web)).document).toMatchObject({ metadata: { generation: 2 }, spec: { maxReplicas: 6 } });
});

test("the editor shows the object below kubectl's words", async () => {
  const seen = await file("", "seen.yaml");
  const { stderr } = await edit(`cp $1 ${seen}`, ["hpa/web", "-n", "shop"]);
  expect(stderr).toBe("Edit cancelled, no changes made.\n");
  expect(await readFile(seen, "utf8")).toMatch(
    /^# Please edit the object below\. Lines beginning with a '#' will be ignored,\n# and an empty file will abort the edit\. If an error occurs while saving this file will be\n# reopened with the relevant failures\.\n#\napiVersion: autoscaling\/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n/,
  );
});

test("a removed annotation is deleted, even a pause", async () => {
  expect((await edit("sed -i.bak '/annotations:/d; /ebb.dev.paused/d' $1")).stdout).toContain("edited");
  expect((await stored(web)).document["metadata"]).not.toHaveProperty("annotations");
});

test("a table in DynamoDB takes no variable of this machine as a source's secret", async () => {
  const source = (secret: string) =>
    `apiVersion: ebb.dev/v1\nkind: MetricSource\nmetadata: {name: jobs}\nspec: {kind: http, parameters: {url: "https://a.example", path: $.n, secret: "${secret}"}}\n`;
  await run(["apply", "-f", await file(source("ebb/prod/jobs"))]);
  const change = "sed -i.bak 's,ebb/prod/jobs,env:EBB_SECRET_JOBS,' $1";
  const { stderr } = await edit(change, ["source", "jobs", "--table", "ebb"]);
  expect(stderr).toContain("got a variable of one machine's environment");
  expect((await edit(change, ["source", "jobs"])).stdout).toBe("metricsource.ebb.dev/jobs edited\n");
});

test("an empty file is no edit", async () => {
  expect(await edit(": > $1")).toEqual({ stdout: "", stderr: "Edit cancelled, saved file was empty.\n", exitCode: 0 });
});

test("a mistake is shown at the top of the file, which opens again until it is fixed", async () => {
  const seen = await file("", "seen.yaml");
  const script = `if grep -q 'was not valid' $1; then cp $1 ${seen}; sed -i.bak 's/maxReplicas: -1/maxReplicas: 7/' $1
    else sed -i.bak 's/maxReplicas: 5/maxReplicas: -1/' $1; fi`;
  const { stdout, stderr, exitCode } = await edit(script);
  expect([stdout, exitCode]).toEqual(["horizontalpodautoscaler.autoscaling/web edited\n", 0]);
  expect(stderr).toContain(
    'error: horizontalpodautoscalers.autoscaling "web" was not valid:\n* spec.maxReplicas: Invalid value: -1:',
  );
  expect(await readFile(seen, "utf8")).toContain(
    '#\n# horizontalpodautoscalers.autoscaling "web" was not valid:\n# * spec.maxReplicas: Invalid value: -1: must be greater than',
  );
  expect((await stored(web)).document).toMatchObject({ spec: { maxReplicas: 7 } });
});

test.each<[string, string, string]>([
  ["broken YAML", "echo 'spec: [' >> $1", "The edited file had a syntax error: "],
  ["another name", "sed -i.bak 's/^  name: web/  name: other/' $1", "kind, name and namespace cannot be changed"],
  ["two objects", "printf -- '---\\nkind: Cluster\\n' >> $1", "The edited file must have one object"],
])("when the user gives up on %s, a copy of the edited file stays", async (_, mistake, message) => {
  const { stdout, stderr, exitCode } = await edit(`grep -q 'syntax error\\|cannot be\\|must have' $1 || ${mistake}`);
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toContain(message);
  expect(stderr).toContain("error: Edit cancelled, no valid changes were saved.\n");
  expect(existsSync(keptFile(stderr))).toBe(true);
  expect((await stored(web)).document).toMatchObject({ spec: { maxReplicas: 5 } });
});

test("a parameter that no source takes is a mistake like any other", async () => {
  const metric = "{name: sqs, selector: {matchLabels: {queue: orders}}}, target: {type: Value, value: '1'}";
  const scaled = `${hpa()}  metrics: [{type: External, external: {metric: ${metric}}}]\n`;
  await run(["apply", "-f", await file(scaled), "--cluster", "prod"]);
  const { stdout, stderr } = await edit(`if grep -q 'was not valid' $1; then sed -i.bak 's/queu:/queue:/; s/: 5/: 6/' $1
    else sed -i.bak 's/queue: orders/queu: orders/' $1; fi`);
  expect(stderr).toContain("matchLabels.queu: unknown field (did you mean queue?), expected one of queue, ");
  expect(stdout).toBe("horizontalpodautoscaler.autoscaling/web edited\n");
  expect((await stored(web)).document).toMatchObject({ spec: { maxReplicas: 6 } });
});

test("neither a concurrent change nor the edit is lost", async () => {
  beforeNextWrite(async () => run(["apply", "-f", await file(hpa(9)), "--cluster", "prod"]));
  const { stdout, stderr, exitCode } = await edit("sed -i.bak 's/maxReplicas: 5/maxReplicas: 6/' $1");
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toContain(
    'Error from server (Conflict): Operation cannot be fulfilled on horizontalpodautoscalers.autoscaling "web"',
  );
  expect((await stored(web)).document).toMatchObject({ spec: { maxReplicas: 9 } });
  const again = await run(["apply", "-f", keptFile(stderr), "--cluster", "prod"]);
  expect(again.stdout).toBe("horizontalpodautoscaler.autoscaling/web configured\n");
  expect((await stored(web)).document).toMatchObject({ spec: { maxReplicas: 6 } });
});

test("an entry deleted meanwhile stays deleted", async () => {
  beforeNextWrite(() => clear("prod"));
  const { stderr, exitCode } = await edit("sed -i.bak 's/maxReplicas: 5/maxReplicas: 6/' $1");
  expect(exitCode).toBe(1);
  expect(stderr).toContain('error: horizontalpodautoscalers.autoscaling "web" could not be found on the server\n');
  expect(await readFile(keptFile(stderr), "utf8")).toContain("maxReplicas: 6");
});

test("an editor that fails", async () => {
  const { stderr, exitCode } = await edit("exit 3");
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/error: there was a problem with the editor "'.*editor\.sh'"\n$/);
});

test("a cluster written by hand, and unknown names", async () => {
  await byHand({ pk: "CLUSTER#prod", sk: "CLUSTER", spec: { auth: { type: "kubeconfig", file: "/a" } } });
  expect((await edit("sed -i.bak 's#file: /a#file: /b#' $1", ["cluster", "prod"])).stdout).toBe(
    "cluster.ebb.dev/prod edited\n",
  );
  expect((await stored({ kind: "Cluster", cluster: "prod", name: "prod" })).document).toMatchObject({
    spec: { auth: { file: "/b" } },
  });
  expect(await edit("true", ["source", "none"])).toEqual({
    stdout: "",
    stderr: 'Error from server (NotFound): metricsources.ebb.dev "none" not found\n',
    exitCode: 1,
  });
  expect((await edit("true", ["hpa"])).exitCode).toBe(1);
});

test("the objects of a file open one after the other, as the table has them", async () => {
  const orders = hpa(9).replace(/name: web/g, "name: orders");
  await run(["apply", "-f", await file(orders), "--cluster", "prod"]);
  const given = await file(`${hpa(3)}---\n${orders}`);
  expect(await edit("sed -i.bak 's/maxReplicas: ./maxReplicas: 7/' $1", ["-f", given])).toEqual({
    stdout: "horizontalpodautoscaler.autoscaling/web edited\nhorizontalpodautoscaler.autoscaling/orders edited\n",
    stderr: "",
    exitCode: 0,
  });
  for (const name of ["web", "orders"])
    expect((await stored({ ...web, name })).document).toMatchObject({ spec: { maxReplicas: 7 } });
});

test("an edit that fails does not keep the next one from its editor", async () => {
  await run(["apply", "-f", await file(hpa(9).replace(/name: web/g, "name: orders")), "--cluster", "prod"]);
  const script = "grep -q 'name: web' $1 && echo '{' > $1 || sed -i.bak 's/maxReplicas: 9/maxReplicas: 8/' $1";
  const { stdout, stderr, exitCode } = await edit(script, ["hpa", "web", "gone", "orders", "-n", "shop"]);
  expect([stdout, exitCode]).toEqual(["horizontalpodautoscaler.autoscaling/orders edited\n", 1]);
  expect(stderr).toContain("error: Edit cancelled, no valid changes were saved.\n");
  expect(stderr).toContain('horizontalpodautoscalers.autoscaling "gone" not found\n');
  await rm(dirname(keptFile(stderr)), { recursive: true });
});

test.each([
  [["hpa"], "error: expected TYPE NAME or TYPE/NAME\n"],
  [[], "You must specify the type of resource to edit"],
  [["events", "x"], "error: events cannot be changed\n"],
])("ebb edit %j opens nothing", async (args, why) => {
  const { stdout, stderr, exitCode } = await edit("exit 1", args);
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toContain(why);
});

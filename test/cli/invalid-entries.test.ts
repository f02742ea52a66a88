import { chmod } from "node:fs/promises";
import type { EntryRef } from "../../lib/model/ports/entries";
import { tableForTests } from "./table";

/**
 * Entries that are in the table and are no valid new HPAs: written by hand, or under an older rule. Every verb checks
 * them as updates, as the API server does.
 */

const { run, register, file, stored, byHand, clear, beforeNextWrite, entries } = tableForTests();

const web: EntryRef = { kind: "HorizontalPodAutoscaler", cluster: "prod", namespace: "shop", name: "web" };
const target = { apiVersion: "v1", kind: "Deployment", name: "web" };
const inTable = async (spec: object = {}) =>
  byHand({
    pk: "CLUSTER#prod",
    sk: "HPA#shop/web",
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop", generation: 3 },
    spec: { scaleTargetRef: target, maxReplicas: 5, ...spec },
  });

const given = (spec: object = {}) =>
  JSON.stringify({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop" },
    spec: { scaleTargetRef: target, maxReplicas: 6, ...spec },
  });

const noGroup = 'spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group';
const halted = `Warning: HPA shop/web is still invalid, and ebb does not sync it: ${noGroup}\n`;
const object = "horizontalpodautoscaler.autoscaling/web";

beforeEach(() => register("prod"));
afterEach(() => clear("prod"));

const inShop = (...args: readonly string[]) => run([...args, "-n", "shop", "--cluster", "prod"]);
const maxReplicas = async () => ((await stored(web)).document["spec"] as { maxReplicas: number }).maxReplicas;
const editor = async (script: string) => {
  const path = await file(`#!/bin/sh\n${script}\n`, "editor.sh");
  await chmod(path, 0o755);
  return { env: { EBB_EDITOR: `'${path}'` } };
};

describe("what is invalid already and stays, stands in no verb's way", () => {
  beforeEach(() => inTable());

  test.each<[string, () => Promise<unknown>, string]>([
    ["apply", async () => inShop("apply", "-f", await file(given())), "configured"],
    ["replace", async () => inShop("replace", "-f", await file(given())), "replaced"],
    ["patch", () => inShop("patch", "hpa", "web", "-p", '{"spec":{"maxReplicas":6}}'), "patched"],
    [
      "edit",
      async () =>
        run(
          ["edit", "hpa", "web", "-n", "shop", "--cluster", "prod"],
          await editor("sed -i.bak 's/maxReplicas: 5/maxReplicas: 6/' $1"),
        ),
      "edited",
    ],
    ["import", async () => inShop("import", "hpa", "--apply", "-f", await file(given())), "configured"],
  ])("%s", async (_verb, act, said) => {
    const { stdout, stderr } = (await act()) as { stdout: string; stderr: string };
    expect(stdout).toBe(`${object} ${said}\n`);
    expect(stderr).toContain(halted);
    expect((await stored(web)).document).toMatchObject({ metadata: { generation: 4 }, spec: { maxReplicas: 6 } });
  });

  test("diff shows the change", async () => {
    const { stdout, exitCode } = await inShop("diff", "-f", await file(given()));
    expect(stdout).toContain("+  maxReplicas: 6\n");
    expect(exitCode).toBe(1);
  });

  test("label and annotate change their own", async () => {
    expect((await inShop("label", "hpa", "web", "tier=batch")).stdout).toBe(`${object} labeled\n`);
    expect((await inShop("annotate", "hpa", "web", "note=x")).stdout).toBe(`${object} annotated\n`);
    expect((await stored(web)).document["metadata"]).toMatchObject({ generation: 3, labels: { tier: "batch" } });
  });
});

describe("what no update may have either", () => {
  test("is refused, with the place and the words for an update", async () => {
    await inTable({ maxReplicas: 0 });
    const path = await file(given({ maxReplicas: 0, minReplicas: -1 }));
    const { stderr, exitCode } = await inShop("apply", "-f", path);
    expect(stderr.split("\n")).toEqual([
      expect.stringContaining("spec.maxReplicas: Required value: must be set and greater than 0"),
      expect.stringContaining("spec.minReplicas: Invalid value: -1: must be greater than or equal to 0"),
      "",
    ]);
    expect(stderr).not.toContain(noGroup);
    expect(stderr).toContain(`${path}:1:`);
    expect(exitCode).toBe(1);
  });

  test.each(["label", "annotate"])("%s refuses it as the API server does", async (verb) => {
    await inTable({ maxReplicas: 0 });
    const { stderr, exitCode } = await inShop(verb, "hpa", "web", "tier=batch");
    expect(stderr).toBe(
      'The HorizontalPodAutoscaler "web" is invalid: \n* spec.maxReplicas: Required value: must be set and greater than 0\n* spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`\n',
    );
    expect(exitCode).toBe(1);
  });

  test("pause and resume still work", async () => {
    await inTable({ maxReplicas: 0 });
    expect((await inShop("pause", "hpa", "web")).stdout).toBe(`${object} paused\n`);
    expect((await inShop("resume", "hpa", "web")).stdout).toBe(`${object} resumed\n`);
  });
});

describe("a new entry has no such leave", () => {
  test.each(["apply", "create"])("%s", async (verb) => {
    const { stderr, exitCode } = await inShop(verb, "-f", await file(given()));
    expect(stderr).toContain(noGroup);
    expect(exitCode).toBe(1);
  });

  test("create says what is wrong before it says that the entry exists", async () => {
    await inTable();
    expect((await inShop("create", "-f", await file(given()))).stderr).toContain(noGroup);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["is fixed", () => inTable({ scaleTargetRef: { ...target, apiVersion: "apps/v1" }, maxReplicas: 5 })],
    ["is deleted", async () => entries().remove(await stored(web), new AbortController().signal)],
  ])("an entry that %s before apply writes gives none", async (_what, act) => {
    await inTable();
    const path = await file(given());
    beforeNextWrite(act);
    const { exitCode } = await inShop("apply", "-f", path);
    expect(exitCode).toBe(1);
  });

  test("of several documents, one bad one refuses all, each with its own words", async () => {
    await inTable();
    const path = await file(`${given()}\n---\n${given({ maxReplicas: -4 })}`);
    const { stderr, exitCode } = await inShop("apply", "-f", path);
    expect(stderr).toContain("spec.maxReplicas: Invalid value: -4: must be greater than or equal to 1");
    expect(stderr).not.toContain(noGroup);
    expect([exitCode, await maxReplicas()]).toEqual([1, 5]);
  });
});

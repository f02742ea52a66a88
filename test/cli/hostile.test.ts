import { parse } from "yaml";
import { DeleteItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { correlate } from "../../lib/sync/events/cached-event-log";
import { emptyLog } from "../../lib/model/stored/event-log";
import { fromItem, toItem } from "../../lib/table/items/attributes";
import { asHpaKey } from "../../lib/model/hpa-key";
import type { State } from "../../lib/model/stored/state";
import { encodeEvents, encodeState } from "../../lib/table/items/hpa-items";
import { shard } from "./explain/explained";
import { openStore } from "../../lib/table/store";
import { hpaWith } from "../core/build";
import { tableForTests } from "./table";
import { noLimit } from "../time/no-limit";

jest.setTimeout(120_000);
const { table, run, byHand, file } = tableForTests();

/** A line of its own, an escape sequence of each form, a bell, another direction of reading, and a line of Unicode. */
const evil = "x\n12:00:00  shop-web  9 → 0  Fake\r\x1b[2J\x9b31m\x07\b\x7f\u202e\u2066\u2028\ty";
const at = Date.parse("2026-03-01T12:00:00Z");

beforeAll(async () => {
  const { spec } = hpaWith();
  const scaleTargetRef = { ...spec.scaleTargetRef, name: evil, kind: evil };
  const auth = { type: "token", secret: evil };
  const labels = { [evil]: evil };
  await byHand({
    pk: "CLUSTER#prod",
    sk: "CLUSTER",
    metadata: { labels },
    spec: { endpoint: "https://127.0.0.1:1", auth },
  });
  await byHand({ pk: `CLUSTER#${evil}`, sk: "CLUSTER", spec: { auth: { type: evil, [evil]: evil } } });
  for (const name of ["plain", evil]) {
    await byHand({
      pk: "CLUSTER#prod",
      sk: `HPA#shop/${name}`,
      metadata: { labels, annotations: { [evil]: "v" } },
      spec,
    });
    await byHand({ pk: "CLUSTER#prod", sk: `HPA#${evil}/${name}`, spec: { ...spec, scaleTargetRef } });
    await byHand({
      pk: "CLUSTER#prod",
      sk: `HPA#shop/bad-${name}`,
      spec: { ...spec, [evil]: evil, maxReplicas: evil },
    });
    await byHand({ pk: "CLUSTER#prod", sk: `STATE#shop/${name}`, [evil]: evil, version: evil });
    await byHand({ pk: "CLUSTER#prod", sk: `EVENTS#shop/${name}`, [evil]: evil, log: evil });
    await byHand({
      pk: "CLUSTER#prod",
      sk: `SOURCE#${name}`,
      spec: { kind: "sqs", parameters: { queue: evil, [evil]: evil } },
    });
  }
  const event = { type: "Warning", reason: evil, message: evil, name: evil } as const;
  const { log } = correlate(emptyLog, event, at);
  await byHand(fromItem(encodeEvents("prod", `${evil}/${evil}`, { version: 1, log })));
  await byHand({ pk: "CLUSTER#prod", sk: "SOURCE#odd", spec: { kind: evil } });
  // What a backend has answered is in conditions and in the names of metrics.
  const condition = { type: evil, status: "False", reason: evil, message: evil } as const;
  const status = { conditions: [condition], currentReplicas: 1, desiredReplicas: 1 };
  const state: State = { version: 1, slot: at, status, history: null, open: false };
  await byHand(fromItem(encodeState("prod", asHpaKey("quoted/web"), state)));
  await byHand(fromItem(encodeEvents("prod", asHpaKey("quoted/web"), { version: 1, log })));
  await byHand({ pk: "CLUSTER#prod", sk: "HPA#quoted/web", spec });
  const target = { type: "AverageValue", averageValue: "1" };
  const described = { kind: evil, name: evil, apiVersion: "v1" };
  const metrics = [
    { type: "External", external: { metric: { name: evil }, target } },
    { type: "Object", object: { metric: { name: evil }, describedObject: described, target } },
    { type: "Pods", pods: { metric: { name: evil }, target } },
    { type: "Resource", resource: { name: evil, target } },
    { type: "ContainerResource", containerResource: { name: evil, container: evil, target } },
    { type: evil },
  ];
  for (const [index, metric] of metrics.entries())
    await byHand({ pk: "CLUSTER#prod", sk: `HPA#metrics/m${index}`, spec: { ...spec, metrics: [metric] } });
  const store = openStore({ client: table().client, table: table().name, now: () => at });
  await store.createShard({ ...shard, cluster: "prod", version: 1, slot: at, heartbeat: at }, noLimit());
});

const inShop = ["--cluster", "prod", "-n", "shop"];
const commands: readonly (readonly string[])[] = [
  ["get", "hpa", "-A"],
  ["get", "hpa", "-A", "--cluster", "prod", "-o", "wide", "--show-labels"],
  ["get", "hpa", "-A", "--cluster", "prod", "-o", "name"],
  ["get", "clusters", "--show-labels", "-L", evil],
  ["get", "clusters", "-o", "name"],
  ["get", "sources", "--cluster", "prod"],
  ["get", "events", "-A", "--cluster", "prod"],
  ["events", "-A", "--cluster", "prod"],
  ["events", "-A", "--cluster", "prod", "-o", "name"],
  ["events", "-n", evil, "--cluster", "prod", "--for", `hpa/${evil}`],
  ["events", "-n", `none${evil}`, "--cluster", "prod"],
  ["events", "--for", `${evil}/x`],
  ["events", "--types", evil],
  ["version"],
  ["version", "--cluster", `none${evil}`],
  ["describe", "hpa", "-A", "--cluster", "prod"],
  ["describe", "hpa", evil, ...inShop],
  ["describe", "hpa", evil, "--cluster", "prod", "-n", evil],
  ["describe", "hpa", "web", "--cluster", "prod", "-n", "quoted"],
  ["get", "hpa", "-o", "wide", "--cluster", "prod", "-n", "quoted"],
  ["explain", "hpa", "web", "--cluster", "prod", "-n", "quoted"],
  ["describe", "hpa", "--cluster", "prod", "-n", "metrics"],
  ["describe", "clusters"],
  ["describe", "sources", "--cluster", "prod"],
  ["explain", "hpa", "plain", ...inShop],
  ["explain", "hpa", evil, ...inShop],
  ["explain", "hpa", "bad-plain", ...inShop],
  ["explain", "hpa", evil, "--last", "3", ...inShop],
  ["explain", `hpa/${evil}`, "hpa/plain", `hpa/none${evil}`, ...inShop],
  ["explain", evil],
  ["explain", `hpa.${evil}`, "--recursive"],
  ["edit", "hpa", `none${evil}`, ...inShop],
  ["patch", "hpa", evil, "-p", "{}", "--dry-run=server", ...inShop],
  ["explain", "hpa", "plain", "--cluster", "prod", "-n", evil],
  ["explain", "hpa", "plain"],
  ["status"],
  ["status", "--cluster", "prod"],
  ["doctor"],
  ["doctor", evil],
  ["pause", "hpa", "--all", ...inShop],
  ["resume", "hpa", evil, "gone", ...inShop],
  ["dry-run", "hpa", evil, "on", ...inShop],
  ["label", "hpa", evil, "a=b", ...inShop],
  ["annotate", "hpa", evil, `a=${evil}`, ...inShop],
  ["get", "hpa", evil, "--cluster", evil],
  ["explain", "hpa", evil, "--cluster", evil, "-o", "xml"],
  ["get", "hpa", `missing${evil}`, ...inShop],
  ["complete", "--", "get", "hpa", "--cluster", "prod", "-n", "shop", ""],
  ["complete", "--", "get", "clusters", ""],
  ["complete", "--", "events", "--cluster", "prod", "-n", "shop", "--for", ""],
  ["delete", "sources", "--all", "--cluster", "prod", "--dry-run=client"],
  ["delete", "hpa", "--all", ...inShop, "--dry-run=client"],
  ["delete", "hpa", evil, ...inShop],
];

/** Colours of ebb's own, where the output is a terminal's. */
const colours = /\x1b\[\d+m/g; // eslint-disable-line no-control-regex
const acted = /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/u;

test.each(commands.map((args) => [args.map((arg) => arg.replace(evil, "EVIL")).join(" "), args] as const))(
  "ebb %s: nothing of the table acts on a terminal or begins a line",
  async (_name, args) => {
    for (const columns of [undefined, 120]) {
      const { stdout, stderr } = await run(args, columns === undefined ? {} : { columns });
      const text = (stdout + stderr).replaceAll("\r\x1b[K", "").replace(colours, "");
      const shown = args[0] === "complete" ? text.replaceAll("\t", " ") : text;
      expect(text).not.toBe("");
      expect(shown).not.toMatch(acted);
      expect(shown).not.toMatch(/^12:00:00 /m);
    }
  },
);

test.each([["explain", "hpa", "plain", ...inShop], ["status"], ["doctor"]])(
  "a broken shard's key: ebb %s %s",
  async (...args) => {
    await byHand({ pk: "SHARD", sk: `prod#${evil}`, [evil]: evil });
    const { stdout, stderr } = await run(args);
    await table().client.send(
      new DeleteItemCommand({ TableName: table().name, Key: toItem({ pk: "SHARD", sk: `prod#${evil}` }) }),
    );
    expect(stderr).toContain("SHARD prod#x\\n");
    expect(stdout + stderr).not.toMatch(acted);
    expect(stdout + stderr).not.toMatch(/^12:00:00 /m);
  },
);

describe("documents", () => {
  const ofEvil = ["--cluster", "prod", "-n", evil, "-o"];
  const exact = { metadata: { namespace: evil }, spec: { scaleTargetRef: { name: evil } } };

  test("stay exact", async () => {
    const { stdout } = await run(["get", "hpa", "plain", ...ofEvil, "json"]);
    expect(JSON.parse(stdout)).toMatchObject(exact);
    expect(stdout).toContain("\u202e");
  });

  const parsed: Readonly<Record<string, (text: string) => unknown>> = {
    json: JSON.parse,
    yaml: parse,
    "jsonpath-as-json={$}": (text) => (JSON.parse(text) as readonly unknown[])[0],
    "jsonpath={.metadata.namespace}{'\\n'}{.spec.scaleTargetRef}": () => exact,
    "custom-columns=A:.metadata.namespace,B:.spec": () => exact,
  };

  test.each(Object.keys(parsed))("on a terminal, -o %s does not act on it, and says the same", async (format) => {
    const { stdout } = await run(["get", "hpa", "plain", ...ofEvil, format], { columns: 120 });
    // Line ends and tabs of a text are its layout, as in a template.
    expect(stdout.replaceAll("\t", " ")).not.toMatch(acted);
    expect(parsed[format]?.(stdout)).toMatchObject(exact);
  });

  test.each([
    ["get", "hpa", "-A", "--cluster", "prod", "-o", "yaml"],
    ["get", "clusters", "-o", "json"],
    ["get", "sources", "--cluster", "prod", "-o", "yaml"],
    ["events", "-A", "--cluster", "prod", "-o", "yaml"],
    ["explain", "hpa", "plain", ...inShop, "-o", "yaml"],
    ["explain", "hpa", evil, ...inShop, "-o", "json"],
    ["status", "-o", "yaml"],
    ["status", "-o", "json"],
    ["dry-run", "hpa", "--cluster", "prod", "-A", "-o", "yaml"],
    ["label", "hpa", evil, "a=b", ...inShop, "--dry-run=client", "-o", "yaml"],
    ["version", "-o", "yaml"],
  ])("on a terminal: ebb %s %s %s …", async (...args) => {
    const { stdout, stderr } = await run(args, { columns: 120 });
    expect((stdout + stderr).replaceAll("\r\x1b[K", "").replace(colours, "")).not.toMatch(acted);
    expect(stdout).not.toMatch(/^12:00:00 /m);
  });

  test("a comment of an import ends where its line does", async () => {
    const spec = { scaleTargetRef: { name: "web" }, triggers: [{ type: `x\nevil: true\n${evil}`, metadata: {} }] };
    const given = await file(
      JSON.stringify({ apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", metadata: { name: evil }, spec }),
    );
    const { stdout, stderr } = await run(["import", "keda", given], { columns: 120 });
    const shown = stdout + stderr;
    expect(shown).not.toBe("");
    expect(shown.replace(colours, "")).not.toMatch(acted);
    expect(shown).not.toMatch(/^(?:evil|12:00:00)/m);
  });
});

test("a file of somebody else is compared and applied, and shown escaped", async () => {
  const hpa = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name: evil }, spec: {} };
  const given = await file(JSON.stringify(hpa));
  for (const verb of ["diff", "apply", "validate"]) {
    const { stdout, stderr } = await run([verb, "-f", given, ...(verb === "validate" ? [] : ["--cluster", "prod"])]);
    expect(stdout + stderr).not.toBe("");
    expect(stdout + stderr).not.toMatch(acted);
    expect(stdout + stderr).not.toMatch(/^12:00:00 /m);
  }
});

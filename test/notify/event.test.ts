import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { problemsOf } from "../../lib/model/check/check-schema";
import type { Schema } from "../../lib/model/check/schema-data";
import { asHpaKey } from "../../lib/model/hpa-key";
import { hpaTypes, type HpaType } from "../../lib/model/notification";
import type { CloudEvent } from "../../lib/model/ports/publisher";
import type { State } from "../../lib/model/stored/state";
import type { Happening } from "../../lib/notify/advance";
import { eventOf, leftOutEvent } from "../../lib/notify/event";
import { seenIn } from "../../lib/notify/lasting";
import { tableForTests } from "../cli/table";
import { atMax, entry, failing, foreignZero, noon, orders, ourZero, stateAt, unknownMetric } from "./states";

/** The published schemas, as the repository has them. */
const folder = join(__dirname, "../../docs/schema/notifications");
const schemaOf = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as Schema;

const scaling = { ...ourZero, current: 2, desired: 0 };
const states: Readonly<Record<HpaType, Parameters<typeof stateAt>[2]>> = {
  "scaled-to-zero": scaling,
  "scaled-from-zero": { current: 0, desired: 3 },
  failing,
  "unknown-metric": unknownMetric,
  "at-max": atMax,
  "not-woken": { ...ourZero, wants: 3 },
  recovered: {},
};

function occurrence(type: HpaType, given: Partial<Happening> = {}): Happening {
  const state: State = given.state ?? stateAt(noon, 7, states[type]);
  const isScaling = type.startsWith("scaled");
  const seen = seenIn(state, noon, entry);
  const about = isScaling ? { from: type === "scaled-to-zero" ? 2 : 0 } : { since: noon - 1 };
  return { type, hpa: orders, version: 7, at: noon, state, seen, entry, ...about, ...given };
}

const event = (type: HpaType, given: Partial<Happening> = {}) => eventOf(occurrence(type, given), "ebb-prod");
const leftOut = leftOutEvent({ version: 3, hour: noon, sent: 100, leftOut: 7 }, 100, "ebb-prod");

const typeIn = ({ type }: CloudEvent) => type.split(".").at(-1) ?? "";
const all: readonly CloudEvent[] = [...hpaTypes.map((type) => event(type)), leftOut];

test("there is a schema for each type, and no other", () => {
  expect(readdirSync(folder).sort()).toEqual(all.map((one) => `${typeIn(one)}.json`).sort());
});

test.each(all.map((one) => [typeIn(one), one] as const))("%s is valid by its schema, and by no other", (type, one) => {
  const valid = all.map(typeIn).filter((other) => problemsOf(schemaOf(other), one).length === 0);
  expect(valid).toEqual([type]);
});

test("a schema refuses an event that lacks what its type always has", () => {
  const { since: _, ...data } = event("at-max").data;
  expect(problemsOf(schemaOf("at-max"), { ...event("at-max"), data })).toMatchObject([{ path: "data.since" }]);
});

test("it is a CloudEvent 1.0 that says the words and the states that ebb shows elsewhere", () => {
  expect(event("at-max")).toEqual({
    specversion: "1.0",
    id: expect.stringMatching(/^at-max\.7\.[0-9a-f]{24}$/) as string,
    source: "/ebb-prod/clusters/prod",
    type: "dev.ebb.hpa.at-max",
    subject: "shop/orders",
    time: "2026-03-01T12:00:00.000Z",
    datacontenttype: "application/json",
    data: {
      ...{ cluster: "prod", namespace: "shop", name: "orders", states: ["at max"] },
      group: event("failing").data.group,
      summary: "prod: shop/orders is at max since 2026-03-01T11:59:59.999Z",
      target: { kind: "Deployment", name: "orders" },
      ...{ minReplicas: 0, maxReplicas: 10, currentReplicas: 10, desiredReplicas: 10 },
      since: "2026-03-01T11:59:59.999Z",
      ...{ reason: "TooManyReplicas", message: "why: TooManyReplicas" },
      command: ["ebb", "explain", "hpa/orders", "-n", "shop", "--cluster", "prod"],
    },
  });
  expect(event("unknown-metric").data.states).toEqual(["failing", "held"]);
  expect(event("scaled-to-zero").data).toMatchObject({ from: 2, to: 0 });
  expect(event("failing").data).toMatchObject({ reason: "FailedGetScale", message: "no such deployment" });
});

test("an id is that of what happened: another HPA, version or type has another", () => {
  const others = [
    event("failing"),
    event("at-max", { version: 8 }),
    event("at-max", { hpa: { ...orders, cluster: "test" } }),
    event("at-max", { hpa: { ...orders, key: asHpaKey("shop/mail") } }),
  ];
  const later = event("at-max", { state: stateAt(noon, 99, failing), entry: { labels: {}, annotations: {} } });
  expect(later.id).toBe(event("at-max").id);
  expect(new Set([event("at-max"), ...others].map(({ id }) => id)).size).toBe(5);
});

test("names and texts of any kind and length stay within bounds, and are valid", () => {
  const hostile = "\u001b[31m\r\n\u0000\ud800‮ä\"'`$(rm)".repeat(1_000);
  const state = stateAt(noon, 7, { warnings: [{ type: "Warning", reason: hostile, message: hostile }] });
  const target = { kind: hostile, name: hostile };
  const hpa = { cluster: "a b/ü", key: asHpaKey(`shop/${"\u001b\n\ud800".repeat(100)}`) };
  const one = event("failing", { state, hpa, entry: { ...entry, target } });
  expect(problemsOf(schemaOf("failing"), one)).toEqual([]);
  expect(JSON.stringify(one).length).toBeLessThan(32_768);
  expect(one.source).toBe("/ebb-prod/clusters/a%20b%2F%C3%BC");
  // eslint-disable-next-line no-control-regex
  expect(one.data.summary).not.toMatch(/[\u0000-\u001f]/);
});

describe("its command", () => {
  const { run, register } = tableForTests();
  beforeAll(() => register("prod"));

  test.each(["at-max", "not-woken"] as const)("of %s is one that ebb takes", async (type) => {
    const foreign = type === "not-woken" ? { state: stateAt(noon, 7, foreignZero) } : {};
    const [program, verb, ...words] = event(type, foreign).data.command;
    expect([program, verb]).toEqual(["ebb", type === "not-woken" ? "adopt" : "explain"]);
    const { stderr } = await run([verb ?? "", ...words]);
    // It reached the table, and looked for this HPA.
    expect(stderr).toBe('Error from server (NotFound): horizontalpodautoscalers.autoscaling "orders" not found\n');
  });
});

import type { ApiClient, ApiRequest } from "../../../lib/cluster/api/api-client";
import type { Discovery } from "../../../lib/cluster/api/discovery";
import { recordTargetEvent } from "../../../lib/cluster/api/target-events";
import { Fault } from "../../../lib/model/fault";
import type { RecordedEvent } from "../../../lib/model/stored/event-log";
import { noLimit } from "../../time/no-limit";

const at = Date.parse("2026-11-10T12:00:00Z");
const event = {
  ...{ name: "orders.17a", type: "Normal", reason: "SuccessfulRescale", message: "New size: 5", count: 1 },
  ...{ firstTimestamp: at, lastTimestamp: at + 15_400 },
} as RecordedEvent;
const target = { apiVersion: "apps/v1beta1", kind: "deployment", namespace: "a b", name: "web.x", uid: "u1" };
const events = "/api/v1/namespaces/a%20b/events";
const one = `${events}/web.x.17a`;

const served = { group: "apps", version: "v1", resource: "deployments", kind: "Deployment", hasScale: true };

/** Records it on an API server that refuses requests of these methods. */
async function record(
  {
    count = 1,
    found = [served] as readonly (typeof served)[],
    resourceVersion,
  }: Partial<{ count: number; found: readonly (typeof served)[]; resourceVersion: string }> = {},
  refused: Partial<Record<string, Fault>> = {},
) {
  const asked: ApiRequest[] = [];
  const api: ApiClient = (request) => {
    asked.push(request);
    const fault = refused[request.method];
    return fault === undefined ? Promise.resolve({ kind: "Event" }) : Promise.reject(fault);
  };
  const discovery = { resources: () => Promise.resolve(found) } as unknown as Discovery;
  const seen = { ...target, ...(resourceVersion !== undefined && { resourceVersion }) };
  await recordTargetEvent({ api, discovery }, seen, { ...event, count }, noLimit());
  return asked;
}

const created = {
  ...{ method: "POST", kinds: ["Event"] },
  subject: { verb: "create", group: "", resource: "events", namespace: "a b", path: events },
  body: {
    ...{ apiVersion: "v1", kind: "Event", metadata: { name: "web.x.17a", namespace: "a b" } },
    involvedObject: { apiVersion: "apps/v1", kind: "Deployment", namespace: "a b", name: "web.x", uid: "u1" },
    ...{ reason: "SuccessfulRescale", message: "New size: 5", type: "Normal", count: 1 },
    ...{ firstTimestamp: "2026-11-10T12:00:00Z", lastTimestamp: "2026-11-10T12:00:15Z" },
    source: { component: "horizontal-pod-autoscaler" },
    ...{ reportingComponent: "ebb", reportingInstance: "" },
  },
};
const patched = {
  ...{ method: "PATCH", kinds: ["Event"] },
  subject: { verb: "patch", group: "", resource: "events", namespace: "a b", name: "web.x.17a", path: one },
  body: { count: 2, lastTimestamp: "2026-11-10T12:00:15Z", message: "New size: 5" },
};
const gone = new Fault("notFound", "gone");
const other = new Fault("forbidden", "no");

test("the first occurrence creates an Event of the object as the API server serves it", async () => {
  expect(await record()).toStrictEqual([created]);
});

test.each<[string, Parameters<typeof record>[0], object]>([
  ["with the version at which it was seen", { resourceVersion: "7" }, { apiVersion: "apps/v1", resourceVersion: "7" }],
  ["of the core group", { found: [{ ...served, group: "" }] }, { apiVersion: "v1", kind: "Deployment" }],
  ["that nothing is known of", { found: [] }, { apiVersion: "v1", kind: "deployment" }],
])("an object %s is named so", async (_what, given, involved) => {
  expect((await record(given))[0]?.body).toMatchObject({ involvedObject: involved });
});

test("a later one patches it, and creates it again where it has expired", async () => {
  expect(await record({ count: 2 })).toStrictEqual([patched]);
  const again = { ...created, body: { ...created.body, count: 2 } };
  expect(await record({ count: 2 }, { PATCH: gone })).toStrictEqual([patched, again]);
});

test("one that exists already is left to the next occurrence", async () => {
  expect(await record({}, { POST: new Fault("conflict", "exists") })).toHaveLength(1);
});

test.each([
  ["a patch", { count: 2 }, { PATCH: other }],
  ["a creation", {}, { POST: other }],
  ["a creation that finds nothing", {}, { POST: gone }],
])("what else refuses %s is thrown", async (_what, given, refused) => {
  await expect(record(given, refused)).rejects.toBeInstanceOf(Fault);
});

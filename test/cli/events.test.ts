import { correlate } from "../../lib/sync/events/cached-event-log";
import { emptyLog } from "../../lib/model/stored/event-log";
import { fromItem } from "../../lib/table/items/attributes";
import { encodeEvents } from "../../lib/table/items/hpa-items";
import type { Ran } from "./run-ebb";
import { now, tableForTests } from "./table";

const { byHand, register, run } = tableForTests();
const minute = 60_000;

const failed = (name: string) => ({ type: "Warning", reason: "FailedGetScale", message: "no scale \n", name }) as const;
const rescaled = (name: string) =>
  ({ type: "Normal", reason: "SuccessfulRescale", message: "New size: 3", name }) as const;

beforeAll(async () => {
  await register("prod");
  let log = emptyLog;
  for (const at of [now - 10 * minute, now - 5 * minute]) log = correlate(log, failed(`web.${at}`), at).log;
  log = correlate(log, rescaled("web.r"), now - minute).log;
  await byHand(fromItem(encodeEvents("prod", "default/web", { version: 1, log })));
  const other = correlate(emptyLog, rescaled("orders.r"), now - 7 * minute).log;
  await byHand(fromItem(encodeEvents("prod", "shop/orders", { version: 1, log: other })));
});

const head = "LAST SEEN          TYPE      REASON              OBJECT                        MESSAGE\n";
const warning = "5m (x2 over 10m)   Warning   FailedGetScale      HorizontalPodAutoscaler/web   no scale\n";
const normal = "60s                Normal    SuccessfulRescale   HorizontalPodAutoscaler/web   New size: 3\n";
const error = (stderr: string): Partial<Ran> => ({ stdout: "", stderr: `error: ${stderr}\n`, exitCode: 1 });

test.each<[string, Partial<Ran>]>([
  ["events", { stdout: head + warning + normal, stderr: "", exitCode: 0 }],
  ["events --for hpa/web", { stdout: head + warning + normal }],
  ["events --for HPA/", { stdout: head + warning + normal }],
  ["events --types=warning,NORMAL", { stdout: head + warning + normal }],
  ["events --types=Normal --types=Warning", { stdout: head + warning + normal }],
  ["events --types=", { stdout: head + warning + normal }],
  ["events --types Warning --no-headers", { stdout: warning.replace("FailedGetScale   ", "FailedGetScale") }],
  [
    "events -A",
    {
      stdout: `NAMESPACE   LAST SEEN          TYPE      REASON              OBJECT                           MESSAGE
shop        7m                 Normal    SuccessfulRescale   HorizontalPodAutoscaler/orders   New size: 3
default     5m (x2 over 10m)   Warning   FailedGetScale      HorizontalPodAutoscaler/web      no scale
default     60s                Normal    SuccessfulRescale   HorizontalPodAutoscaler/web      New size: 3
`,
    },
  ],
  ["events -o jsonpath={.kind}:{.items[*].reason}", { stdout: "EventList:FailedGetScale SuccessfulRescale" }],
  ["events -n empty", { stdout: "", stderr: "No events found in empty namespace.\n", exitCode: 0 }],
  ["events -n empty -o json", { stdout: "", stderr: "No events found in empty namespace.\n", exitCode: 0 }],
  ["events -A --for hpa/none", { stdout: "", stderr: "No events found.\n", exitCode: 0 }],
  ["events --for web", error("--for must be in resource/name form")],
  ["events --for hpa/a/b", error("arguments in resource/name form may not have more than one slash")],
  ["events --for cluster/x", error('--for: expected hpa/<name>, got "cluster/x": the table has events of HPAs alone')],
  ["events --types Odd", error('valid --types are Normal or Warning, got "Odd"')],
])("ebb %s", async (line, expected) => {
  expect(await run(line.split(" "))).toMatchObject(expected);
});

test.each([
  ["events --for nope/x", 'the server doesn\'t have a resource type "nope"'],
  ["events -o wide", 'unable to match a printer suitable for the output format "wide", allowed formats are: json,'],
  ["events hpa", "too many arguments"],
])("ebb %s is refused", async (line, why) => {
  const { stdout, stderr, exitCode } = await run(line.split(" "));
  expect([stdout, exitCode]).toEqual(["", 1]);
  expect(stderr).toContain(why);
});

test("an event's name and its document", async () => {
  const { stdout: names } = await run(["events", "-o", "name"]);
  expect(names).toMatch(/^event\/web\.\w+\nevent\/web\.\w+\n$/);
  const { stdout } = await run(["events", "-o", "json", "--types", "Normal"]);
  expect(JSON.parse(stdout)).toMatchObject({
    kind: "EventList",
    apiVersion: "v1",
    items: [{ kind: "Event", reason: "SuccessfulRescale", involvedObject: { name: "web" }, count: 1 }],
  });
});

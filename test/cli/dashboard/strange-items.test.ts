import { answerHistory } from "../../../cli/look/dashboard/answer-history";
import { answerHpa } from "../../../cli/look/dashboard/answers";
import { fleetRows } from "../../../cli/look/dashboard/fleet";
import { openHistoryReader, storeOn } from "../../../compose";
import { loadWithLatest } from "../../../lib/read/hpa-facts";
import { PutItemCommand } from "../../../lib/aws/http/dynamodb-commands";
import { toItem } from "../../../lib/table/items/attributes";
import type { TableStore } from "../../../lib/table/store";
import { asHpaKey } from "../../../lib/model/hpa-key";
import { openEntries } from "../../../lib/table/entries";
import { at } from "../../core/build";
import { memoryDynamodb, memoryTableName } from "../../fakes/memory-dynamodb";
import { plainCaller } from "../advice/plain-caller";

const { signal } = new AbortController();
const table = { client: memoryDynamodb(), name: memoryTableName };
const now = () => at(10);
const store: TableStore = {
  ...storeOn(table, { now }),
  events: ({ from }) => {
    const times = { firstTimestamp: at(1), lastTimestamp: at(1) };
    const event = {
      type: "Warning" as const,
      reason: "InvalidEntry",
      message: `of ${from}`,
      name: "e",
      count: 1,
      ...times,
    };
    return Promise.resolve([{ key: asHpaKey(from), events: [event] }]);
  },
};
const context = {
  ...{ store, history: openHistoryReader(table, now), now, entries: openEntries(table) },
  callerFor: () => Promise.resolve(plainCaller),
};
const spec = { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 5 };

/** Keys that people or programs wrote into the table, and what ebb calls them. */
const keys = ["shop/web", "noslash", "noslash/", "a/b/c", "/web", "shop/", "x/HPA#y"];
const names = ["HPA#/web", "HPA#a/b/c", "HPA#noslash", "HPA#noslash/", "HPA#shop/", "shop/web", "HPA#x/HPA#y"];
const put = (item: object) =>
  table.client.send(new PutItemCommand({ TableName: table.name, Item: toItem({ pk: "CLUSTER#demo", ...item }) }));

beforeAll(async () => {
  await put({ sk: "CLUSTER", spec: { endpoint: "https://a.example", auth: { type: "token", secret: "ebb/x" } } });
  for (const key of keys) await put({ sk: `HPA#${key}`, metadata: { name: "other" }, spec });
});

test("an item whose key and name differ, or whose key ebb does not know, has its row, page, events and history", async () => {
  const contents = await loadWithLatest(store, { cluster: "demo", from: "", to: null }, signal);
  const rows = fleetRows(contents, [], now());
  const answers = await Promise.all(
    rows.map(({ namespace, name }) => answerHpa(context, { cluster: "demo", namespace, name }, signal)),
  );
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["failing"]));
  expect(answers.map((answer) => answer?.row)).toEqual(rows);
  expect(answers.map((answer) => answer?.explained.summary.split(" is halted because")[0])).toEqual(names);
  const asked = [...keys].sort();
  expect(answers.map((answer) => answer?.events.map(({ message }) => message))).toEqual(
    asked.map((key) => [`of ${key}`]),
  );
  for (const { namespace, name } of rows)
    expect(await answerHistory(context, { cluster: "demo", namespace, name, range: "1h" }, signal)).toBeDefined();
});

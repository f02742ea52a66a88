import type { Store } from "../../../lib/model/ports/store";
import { forgetHpa } from "../../../lib/sync/slot/record-change";

const { signal } = new AbortController();
const hpa = { cluster: "prod", key: "shop/orders", version: 7 } as const;

/** What is called when the HPA's decisions are all deleted after so many rounds. */
async function forget(rounds: number, document?: unknown) {
  const calls: string[] = [];
  const store = {
    document: () => Promise.resolve(document),
    deleteRecords: () => {
      calls.push("records");
      return Promise.resolve(calls.filter((call) => call === "records").length >= rounds);
    },
    deleteState: (cluster: string, key: string, version: number) => {
      calls.push(`state of ${cluster} ${key}, version ${version}`);
      return Promise.resolve(true);
    },
  } as unknown as Store;
  const events = { forget: (cluster: string, key: string) => void calls.push(`events of ${cluster} ${key}`) };
  await forgetHpa({ store, events: events as never }, hpa, signal);
  return calls;
}

const [events, state] = ["events of prod shop/orders", "state of prod shop/orders, version 7"];

test("its events, its records and its state go, the state last", async () => {
  expect(await forget(1)).toEqual([events, "records", state]);
  expect(await forget(3)).toEqual([events, "records", "records", "records", state]);
});

test("an entry that is there again is not touched", async () => {
  expect(await forget(1, { spec: {} })).toEqual([]);
  expect(await forget(1, null)).toEqual([]);
});

test("eight rounds at most: the state stays, and the next sync goes on", async () => {
  expect(await forget(8)).toEqual([events, ...Array<string>(8).fill("records"), state]);
  expect(await forget(9)).toEqual([events, ...Array<string>(8).fill("records")]);
});

import { openTable, storeOn } from "../../../../compose";
import { readHpaEntry } from "../../../../lib/sync/hpa/read-entry";
import { answerQuestions } from "../../../small-heap/answer-questions";

export interface Job {
  readonly endpoint: string;
}

export interface Loaded {
  readonly small: number;
  readonly large: number;
  readonly refusals: readonly string[];
}

/** Loads a shard as a function of 512 MB does, and counts what of it can be used. */
answerQuestions(async ({ endpoint }: Job): Promise<Loaded> => {
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const table = openTable("ebb", { endpoint, region: "eu-west-1", credentials });
  const store = storeOn(table, { now: () => Date.now(), loadMemory: 64 * 2 ** 20 });
  const range = { cluster: "prod", from: "", to: null };
  const contents = await store.load(range, new AbortController().signal);
  const entries = contents.hpas.map((listed) => ({ key: listed.key, entry: readHpaEntry(listed) }));
  const usable = entries.flatMap(({ key, entry }) => ("hpa" in entry ? [key] : []));
  const errors = entries.flatMap(({ entry }) => ("errors" in entry ? entry.errors : []));
  const broken = [
    ...contents.sources.flatMap((source) => ("invalid" in source ? [source.invalid] : [])),
    ...Object.values(contents.brokenStates),
  ];
  table.client.destroy();
  return {
    small: usable.filter((key) => key.startsWith("shop/small")).length,
    large:
      usable.filter((key) => key.startsWith("shop/large")).length +
      Object.keys(contents.states).length +
      contents.sources.filter((source) => "value" in source).length,
    refusals: [...new Set([...errors, ...broken].map((text) => text.replace(/\d{5,}/g, "N")))],
  };
});

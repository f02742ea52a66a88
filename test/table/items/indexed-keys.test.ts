import { brotliCompressSync } from "node:zlib";
import fc from "fast-check";
import { decodeIndexedKeys, keysIn } from "../../../lib/table/items/index-item";
import { mostKeys } from "../../../lib/table/items/packed";

type Hpas = Readonly<Record<string, { readonly queues: readonly number[] } | { readonly more: true }>>;

const textOf = (hpas: Hpas) => Buffer.from(JSON.stringify(hpas));

function parsed(hpas: Hpas, hashes: readonly number[]) {
  const all = Object.entries(hpas);
  const keysOf = (some: typeof all) => some.map(([key]) => key).sort();
  return {
    named: keysOf(all.filter(([, hpa]) => "queues" in hpa && hpa.queues.some((queue) => hashes.includes(queue)))),
    more: keysOf(all.filter(([, hpa]) => "more" in hpa)),
  };
}

function found(hpas: Hpas, hashes: readonly number[]) {
  const { named, more } = keysIn(textOf(hpas), hashes);
  return { named: [...named].sort(), more: [...more].sort() };
}

test.each<[string, Hpas, readonly number[]]>([
  ["no HPAs", {}, [1]],
  ["the first and the last", { "a/a": { queues: [1, 2] }, "a/b": { queues: [3] }, "a/c": { queues: [2, 1] } }, [1]],
  ["a number within others", { "a/a": { queues: [11, 211] }, "a/b": { queues: [112] } }, [1, 12]],
  ["several hashes of one HPA", { "a/a": { queues: [1, 2] } }, [1, 2]],
  ["digits in a key", { "a/[7,": { queues: [1] }, "a/7": { queues: [2] }, "[7]": { more: true } }, [7]],
  ["a key like an index", { 'a/x":{"queues":[7],"y': { queues: [1] }, '":{"more":true': { queues: [2] } }, [7]],
  [
    "quotes and backslashes",
    { 'a/"': { queues: [7] }, "a/\\": { queues: [7] }, '\\"\\': { queues: [7] }, "": { queues: [7] } },
    [7],
  ],
  ["no queues", { "a/a": { queues: [] }, "a/b": { queues: [4_294_967_295] } }, [4_294_967_295]],
  ["too many queues to name", { "a/a": { more: true }, 'a/"b': { more: true }, "a/c": { queues: [7] } }, [7]],
])("%s", (_name, hpas, hashes) => {
  expect(found(hpas, hashes)).toEqual(parsed(hpas, hashes));
});

test("the same keys as parsing finds, whatever the names", () => {
  const key = fc.oneof(
    fc.string({ unit: fc.constantFrom('"', "\\", "[", "]", "{", "}", ",", ":", "1", "12", "queues", "more", "true") }),
    fc.string({ unit: "binary" }),
  );
  const hash = fc.constantFrom(1, 2, 12, 21, 112, 4_294_967_295);
  const hpa = fc.oneof(fc.record({ queues: fc.array(hash) }), fc.constant({ more: true as const }));
  fc.assert(
    fc.property(fc.dictionary(key, hpa), fc.array(hash), (hpas, hashes) => {
      expect(found(hpas, hashes)).toEqual(parsed(hpas, hashes));
    }),
  );
});

test("an index that names more HPAs than a shard of ours may have cannot be read", () => {
  const named = (count: number) => {
    const text = `{${Array.from({ length: count }, (_, at) => `"a/${at}":{"more":true}`).join()}}`;
    const item = { hash: { S: "x" }, packed: { B: brotliCompressSync(text) } };
    return decodeIndexedKeys(item, [7])?.more.length;
  };
  expect([named(mostKeys), named(mostKeys + 1)]).toEqual([mostKeys, undefined]);
});

test("a list that has a hash a hundred thousand times is looked through once", () => {
  const queues = Array.from({ length: 100_000 }, () => 7);
  expect(found({ "a/a": { queues }, "a/b": { queues: [7] } }, [7]).named).toEqual(["a/a", "a/b"]);
});

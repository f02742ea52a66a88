import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fewestListed } from "../../lib/cluster/api/scales/scale-reads";
import { limits } from "../../lib/model/entry/limits";
import { mostNamed } from "../../lib/sync/slot/confirmed";
import { shardItem, stateItem } from "../../lib/model/validators/items";
import { mergeBelow, smallestPart, splitAbove } from "../../lib/model/stored/shard-size";

const root = join(__dirname, "../..");
const page = readFileSync(join(root, "docs/protocol.md"), "utf8").replaceAll(/\s+/g, " ");
const withCommas = (value: number) => value.toLocaleString("en-US");

test.each([
  [`splits shards above ${withCommas(splitAbove)} entries`],
  [`parts have at least ${smallestPart} entries`],
  [`merges neighbours below ${mergeBelow} entries`],
  [`send over ${withCommas(limits.queriesPerRun)} queries`],
  [`From ${fewestListed} targets of a kind`],
  [`beyond ${mostNamed}, all`],
])("the protocol says what the code does: %s", (words) => {
  expect(page).toContain(words);
});

/** Every member at any depth. */
function membersOf(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { readonly properties?: object };
  return [...Object.keys(properties), ...Object.values(schema).flatMap(membersOf)];
}

test("each attribute that it names is in a state or a shard", () => {
  const known = new Set([stateItem, shardItem].flatMap(membersOf));
  const isFunction = (name: string) => existsSync(join(root, `functions/${name}.ts`));
  const named = [...page.matchAll(/`([a-z]+[A-Za-z]*)`/g)].map(([, name = ""]) => name);
  expect(named).toEqual(expect.arrayContaining(["behind", "closedAt", "unsettled"]));
  expect(named.filter((name) => !known.has(name) && !isFunction(name))).toEqual([]);
});

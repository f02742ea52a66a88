import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { type Random, seededRandom } from "../../../local/random";
import type { Item } from "./memory-table";

/** Members that every object inherits, or that a careless copy would set as a prototype. */
const inheritedNames = ["toString", "constructor", "__proto__", "hasOwnProperty", "valueOf"];
const oddNumbers = ["0", "-1", "0.5", "1e15", "9007199254740993", "-9223372036854775808", "1e125", "1e-130"];
const oddTexts = ["", " ", "NaN", "toString", "1e400", "-5", "Ki", "\u0000\n\u001b[2J", "../..", "𝒳".repeat(400)];

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random.between(0, from.length))]!;

/** A member as JSON and the SDK make it: an own property, also if it is called `__proto__`. */
function withMember<T>(map: Readonly<Record<string, T>>, name: string, value: T | undefined): Record<string, T> {
  const others = Object.entries(map).filter(([other]) => other !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}

function oddAttribute(random: Random): AttributeValue {
  return pick<() => AttributeValue>(random, [
    () => ({ NULL: true }),
    () => ({ BOOL: random.next() < 0.5 }),
    () => ({ N: pick(random, oddNumbers) }),
    () => ({ S: pick(random, oddTexts) }),
    () => ({ S: "x".repeat(50_000) }),
    () => ({ B: new Uint8Array([0, 255]) }),
    () => ({ SS: ["a", "b"] }),
    () => ({ NS: ["1", "2"] }),
    () => ({ L: [] }),
    () => ({ L: [{ NULL: true }] }),
    () => ({ M: {} }),
    () => ({ M: withMember({}, pick(random, inheritedNames), { S: "odd" }) }),
    () => ({ M: { name: { NULL: true } } }),
    () => deep(30),
  ])();
}

function deep(levels: number): AttributeValue {
  return levels === 0 ? { S: "deep" } : { L: [{ M: { in: deep(levels - 1) } }] };
}

/** An item as a user's broken tool writes it: one to three places of it are something else. Its keys stay. */
export function hostileItem({ pk, sk, ...attributes }: Item, seed: number): Item {
  const random = seededRandom(seed);
  let map: Item = attributes;
  const places = 1 + Math.floor(random.between(0, 3));
  for (let i = 0; i < places; i += 1) map = spoiledMap(map, random);
  return { ...map, pk: pk!, sk: sk! };
}

function spoiledMap(map: Item, random: Random): Item {
  const names = Object.keys(map);
  if (names.length === 0 || random.next() < 0.15)
    return withMember(map, pick(random, [...inheritedNames, "extra", ...names]), oddAttribute(random));
  const name = pick(random, names);
  return withMember(map, name, spoiledAttribute(map[name]!, random));
}

/** undefined: it is gone. */
function spoiledAttribute(value: AttributeValue, random: Random): AttributeValue | undefined {
  const goesDeeper = random.next() < 0.75;
  if (goesDeeper && value.M !== undefined) return { M: spoiledMap(value.M, random) };
  if (goesDeeper && value.L !== undefined && value.L.length > 0) {
    const index = Math.floor(random.between(0, value.L.length));
    return { L: value.L.flatMap((each, i) => (i === index ? (spoiledAttribute(each, random) ?? []) : [each])) };
  }
  return random.next() < 0.25 ? undefined : oddAttribute(random);
}

/** Sort keys of entries and states that nobody should write. */
export const unconfirmedKeys: readonly string[] = [
  ...["HPA#", "HPA#/", "HPA#shop", "HPA#shop/", "HPA#/h0", "HPA#shop/h0/h1", "HPA#__proto__/__proto__"],
  ...["HPA#toString/constructor", "HPA#shop/__proto__", "HPA#SHOP/Ünï", `HPA#shop/${"x".repeat(900)}`, "HPA#\n/\u001b"],
  ...["STATE#", "STATE#shop", "STATE#__proto__/x", "STATE#shop/constructor", "STATE#shop/h0#h1"],
  ...["SOURCE#", "SOURCE#__proto__", "SOURCE#toString", "SOURCE#junk", "EVENTS#shop/none", "DECISION#shop/none#1"],
];

/** What a backend's JSON becomes: texts that are no JSON, other documents, or one place of it is something else. */
export function hostileAnswer(text: string, seed: number): string {
  const random = seededRandom(seed);
  const whole = [
    "",
    "<html><body>Please log in</body></html>",
    text.slice(0, Math.floor(text.length * random.next())),
    "null",
    "[]",
    "{}",
    '"OK"',
    `{"kind":"Status","apiVersion":"v1","status":"Failure","message":${JSON.stringify("x".repeat(20_000))},"code":200}`,
    text.replace(/"kind":"/, '"kind":"No'),
    `\ufeff${text}`,
    text.repeat(2),
  ];
  if (random.next() < 0.3) return pick(random, whole);
  try {
    const spoiled = spoiledJson(JSON.parse(text), random);
    return JSON.stringify(spoiled ?? null);
  } catch {
    return pick(random, whole);
  }
}

const oddValues: readonly unknown[] = [
  ...[null, true, false, 0, -1, 0.5, 1e300, 2 ** 31, 2 ** 53 + 2, [], {}, [null], [[]], [{}], { name: null }],
  ...oddTexts,
  ...inheritedNames.map((name) => withMember({}, name, "odd")),
];

function spoiledJson(value: unknown, random: Random): unknown {
  const goesDeeper = random.next() < 0.85;
  if (goesDeeper && Array.isArray(value) && value.length > 0) {
    const index = Math.floor(random.between(0, value.length));
    return value.flatMap((each: unknown, i) => {
      if (i !== index) return [each];
      const spoiled = spoiledJson(each, random);
      return spoiled === undefined ? [] : [spoiled];
    });
  }
  if (goesDeeper && typeof value === "object" && value !== null && Object.keys(value).length > 0) {
    const map = value as Record<string, unknown>;
    const name = pick(random, Object.keys(map));
    return withMember(map, name, spoiledJson(map[name], random));
  }
  return random.next() < 0.2 ? undefined : pick(random, oddValues);
}

import fc from "fast-check";
import { type Claims, firstInShares, maxMin, maxMinWhole, treeOf } from "../../lib/model/max-min";

interface Wanted {
  readonly path: readonly string[];
  readonly demand: number;
}

const name = fc.constantFrom("a", "b", "c", "d", "aaa", "zzz", "constructor");
const wanted = (most: number) =>
  fc.uniqueArray(fc.record({ path: fc.tuple(name, name, name), demand: fc.nat({ max: most }) }), {
    ...{ minLength: 1, maxLength: 30 },
    selector: ({ path }) => path.join("/"),
  });
const total = fc.nat({ max: 60 });
const rotation = fc.nat({ max: 50_000_000 });

const claimsOf = (all: readonly Wanted[]): Claims => ({
  tree: treeOf(all.map(({ path }) => path)),
  demands: all.map(({ demand }) => demand),
});
const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

/** By each group's path: its children, with what they want and have. */
function groupsOf(all: readonly Wanted[], shares: readonly number[]) {
  const groups = new Map<string, Map<string, { want: number; have: number }>>();
  for (const [index, { path, demand }] of all.entries())
    for (const [level, child] of path.entries()) {
      const id = JSON.stringify(path.slice(0, level));
      const children = groups.get(id) ?? new Map<string, { want: number; have: number }>();
      groups.set(id, children);
      const known = children.get(child) ?? { want: 0, have: 0 };
      children.set(child, { want: known.want + demand, have: known.have + (shares[index] ?? 0) });
    }
  return [...groups.values()].map((children) => [...children.values()]);
}

test("the sum is the total, or all that is wanted, and nobody has more than it wants", () => {
  fc.assert(
    fc.property(wanted(20), total, rotation, (all, most, round) => {
      const claims = claimsOf(all);
      const shares = maxMin(most, claims, round);
      expect(sumOf(shares)).toBe(Math.min(most, sumOf(claims.demands)));
      expect(shares.every((share, index) => share >= 0 && share <= (claims.demands[index] ?? 0))).toBe(true);
    }),
  );
});

test("nobody that wants more has less than a sibling, but for the unit that goes around", () => {
  fc.assert(
    fc.property(wanted(20), total, rotation, (all, most, round) => {
      for (const children of groupsOf(all, maxMin(most, claimsOf(all), round)))
        for (const { want, have } of children)
          if (have < want) for (const sibling of children) expect(sibling.have).toBeLessThanOrEqual(have + 1);
    }),
  );
});

test("in any number of rounds, a leaf has within one unit of as many average rounds", () => {
  fc.assert(
    fc.property(wanted(4), fc.nat({ max: 20 }), rotation, fc.nat({ max: 40 }), (all, most, first, rounds) => {
      const claims = claimsOf(all);
      const rates = exactRates(all, most);
      const had = sumRounds(claims, { most, first, rounds });
      for (const [leaf, units] of had.entries()) expect(Math.abs(units - (rates[leaf] ?? 0) * rounds)).toBeLessThan(1);
    }),
  );
});

/** Water filling with real numbers, level by level: what each leaf has on average. */
function exactRates(all: readonly Wanted[], most: number): readonly number[] {
  const rates = new Array<number>(all.length).fill(0);
  const fill = (leaves: readonly number[], level: number, amount: number): void => {
    const names = [...new Set(leaves.map((leaf) => all[leaf]?.path[level] ?? ""))];
    const children = names.map((child) => leaves.filter((leaf) => all[leaf]?.path[level] === child));
    const wants = children.map((own) => sumOf(own.map((leaf) => all[leaf]?.demand ?? 0)));
    let water = amount;
    const open = new Set(children.keys());
    const has = new Array<number>(children.length).fill(0);
    for (;;) {
      const equal = water / open.size;
      const full = [...open].filter((child) => (wants[child] ?? 0) <= equal + 1e-9);
      if (full.length === 0) {
        for (const child of open) has[child] = equal;
        break;
      }
      for (const child of full) {
        has[child] = wants[child] ?? 0;
        water -= has[child];
        open.delete(child);
      }
      if (open.size === 0) break;
    }
    for (const [child, own] of children.entries())
      if (level === 2) for (const leaf of own) rates[leaf] = has[child] ?? 0;
      else fill(own, level + 1, has[child] ?? 0);
  };
  fill([...all.keys()], 0, most);
  return rates;
}

function sumRounds(claims: Claims, { most, first, rounds }: { most: number; first: number; rounds: number }) {
  const had = new Array<number>(claims.demands.length).fill(0);
  for (let round = first; round < first + rounds; round++)
    for (const [leaf, share] of maxMin(most, claims, round).entries()) had[leaf] = (had[leaf] ?? 0) + share;
  return had;
}

test("each of n equal leaves is served within ⌈n/total⌉ rounds", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 20 }), rotation, (leaves, most, first) => {
      const all = Array.from({ length: leaves }, (_, index) => ({ path: ["prod", "shop", `h${index}`], demand: 1 }));
      const had = sumRounds(claimsOf(all), { most, first, rounds: Math.ceil(leaves / most) });
      expect(Math.min(...had)).toBeGreaterThanOrEqual(1);
    }),
  );
});

test("the order of the leaves does not matter", () => {
  const shuffled = wanted(20).chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, total, rotation, ([all, other], most, round) => {
      const byPath = (list: readonly Wanted[]) =>
        new Map(maxMin(most, claimsOf(list), round).map((share, index) => [list[index]?.path.join("/"), share]));
      const wholeByPath = (list: readonly Wanted[]) =>
        new Map(maxMinWhole(most, claimsOf(list), round).map((is, index) => [list[index]?.path.join("/"), is]));
      expect(byPath(other)).toEqual(new Map([...byPath(all)]));
      expect(wholeByPath(other)).toEqual(wholeByPath(all));
    }),
  );
});

test("names do not matter, but for whose turn it is: over all rounds, renamed leaves have the same", () => {
  const renamed = new Map([
    ["a", "zzz"],
    ["zzz", "a"],
    ["b", "aaa"],
    ["aaa", "b"],
  ]);
  fc.assert(
    fc.property(wanted(4), fc.nat({ max: 20 }), (all, most) => {
      const other = all.map(({ path, demand }) => ({ demand, path: path.map((one) => renamed.get(one) ?? one) }));
      const rates = (list: readonly Wanted[]) => sumRounds(claimsOf(list), { most, first: 0, rounds: 840 });
      const after = rates(other);
      for (const [leaf, units] of rates(all).entries()) expect(Math.abs(units - (after[leaf] ?? 0))).toBeLessThan(2);
    }),
    { numRuns: 20 },
  );
});

describe("leaves that are taken whole", () => {
  test("fit together; one within its share is among them; none that is left out would fit", () => {
    fc.assert(
      fc.property(wanted(20), total, rotation, (all, most, round) => {
        const claims = claimsOf(all);
        const shares = maxMin(most, claims, round);
        const taken = maxMinWhole(most, claims, round);
        const used = sumOf(claims.demands.filter((_, leaf) => taken[leaf]));
        expect(used).toBeLessThanOrEqual(most);
        for (const [leaf, demand] of claims.demands.entries()) {
          if ((shares[leaf] ?? 0) >= demand) expect(taken[leaf]).toBe(true);
          if (taken[leaf] !== true) expect(demand).toBeGreaterThan(most - used);
        }
      }),
    );
  });

  test("of equal leaves in equal groups, each is taken in some round", () => {
    const all = ["a", "b"].flatMap((cluster) =>
      ["c", "d"].flatMap((namespace) => ["x", "y"].map((hpa) => ({ path: [cluster, namespace, hpa], demand: 10 }))),
    );
    const taken = new Set<number>();
    for (let round = 0; round < 40; round++)
      for (const [leaf, is] of maxMinWhole(19, claimsOf(all), round).entries()) if (is) taken.add(leaf);
    expect(taken.size).toBe(8);
  });

  test("of n leaves of which k fit, each is taken within two times around", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 20 }), rotation, (leaves, fit, first) => {
        const all = Array.from({ length: leaves }, (_, index) => ({ path: ["prod", "shop", `h${index}`], demand: 10 }));
        const taken = new Set<number>();
        for (let round = first; round < first + 2 * Math.ceil(leaves / fit); round++)
          for (const [leaf, is] of maxMinWhole(fit * 10 + 3, claimsOf(all), round).entries()) if (is) taken.add(leaf);
        expect(taken.size).toBe(leaves);
      }),
    );
  });

  test("a neighbour with three of 20 keeps two in its half, beside a hundred of 10", () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ path: ["many", "n", `h${index}`], demand: 10 }));
    const few = ["x", "y", "z"].map((hpa) => ({ path: ["few", "n", hpa], demand: 20 }));
    for (let round = 0; round < 10; round++) {
      const taken = maxMinWhole(100, claimsOf([...many, ...few]), round);
      expect(taken.slice(100).filter(Boolean).length).toBeGreaterThanOrEqual(2);
      expect(taken.slice(0, 100).filter(Boolean).length).toBeGreaterThanOrEqual(5);
    }
  });
});

test("bytes of gigabytes and rounds of centuries are exact", () => {
  const all = [1, 2, 3].map((index) => ({ path: ["prod", "shop", `h${index}`], demand: 2 ** 40 }));
  for (const round of [0, 1_793_000_000, Number.MAX_SAFE_INTEGER]) {
    const shares = maxMin(2 ** 33 + 1, claimsOf(all), round);
    expect(sumOf(shares)).toBe(2 ** 33 + 1);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
  }
});

test("without leaves, without a total, and with room for all", () => {
  expect(maxMin(5, claimsOf([]), 3)).toEqual([]);
  expect(maxMinWhole(5, claimsOf([]), 3)).toEqual([]);
  const all = [{ path: ["a", "b", "c"], demand: 4 }];
  expect(maxMin(0, claimsOf(all), 7)).toEqual([0]);
  expect(maxMin(Infinity, claimsOf(all), 7)).toEqual([4]);
});

test("of a list, the first ones of each group have its share of the room", () => {
  const list = fc.array(fc.tuple(name, name), { maxLength: 60 });
  fc.assert(
    fc.property(list, fc.nat({ max: 40 }), rotation, (paths, most, rotation) => {
      const all = paths.map((path, index) => ({ path, index }));
      const kept = firstInShares(all, ({ path }) => path, { most, rotation });
      expect(kept).toHaveLength(Math.min(most, all.length));
      expect(kept.map(({ index }) => index)).toEqual(kept.map(({ index }) => index).toSorted((a, b) => a - b));
      const groups = new Map(paths.map((path) => [JSON.stringify(path), path]));
      const of = (some: typeof all, id: string) => some.filter(({ path }) => JSON.stringify(path) === id);
      const demands = [...groups.keys()].map((id) => of(all, id).length);
      const shares = maxMin(most, { tree: treeOf([...groups.values()]), demands }, rotation);
      for (const [at, id] of [...groups.keys()].entries())
        expect(of([...kept], id)).toEqual(of(all, id).slice(0, shares[at]));
    }),
  );
});

import { fnv1a, mixed, spread } from "./fnv1a";

export interface Tree {
  readonly root: Group;
  readonly nodes: number;
}

interface Group {
  readonly node: number;
  readonly children: readonly (Group | Leaf)[];
}

interface Leaf {
  readonly node: number;
  readonly leaf: number;
}

export interface Claims {
  readonly tree: Tree;
  readonly demands: readonly number[];
}

/** @param paths such as [cluster, namespace, HPA]: of one length, all different */
export function treeOf(paths: readonly (readonly string[])[]): Tree {
  let nodes = 0;
  const depth = paths[0]?.length ?? 0;

  function group(leaves: readonly number[], level: number): Group {
    const byName = new Map<string, number[]>();
    for (const leaf of leaves) {
      const name = paths[leaf]?.[level] ?? "";
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [leaf]);
      else known.push(leaf);
    }
    const named = [...byName].map(([name, own]) => ({ name, own, priority: spread(fnv1a(name)) }));
    named.sort((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1));
    const children = named.flatMap(({ own }): (Group | Leaf)[] =>
      level + 1 < depth ? [group(own, level + 1)] : own.map((leaf) => ({ node: nodes++, leaf })),
    );
    return { node: nodes++, children };
  }

  const root = group([...paths.keys()], 0);
  return { root, nodes };
}

/** A group's units since round 0: rate/per a round on average, so a half is exactly every second round. */
interface Flow {
  readonly rate: number;
  readonly per: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Divides `total`, max-min fair at each level of the tree: a child that wants at most an equal part gets all of it, and
 * the others divide the rest. What whole numbers leave over rotates with the rounds:
 *
 *     total 10:  a  a0 … a499   500 wanted    7 of 500 in each round, the next 7 in the next one
 *                b  b0 b1 b2      3 wanted    3
 *
 * While total and demands stay the same, each leaf gets within one unit of its average: one of n equal leaves waits at
 * most ⌈n/total⌉ rounds.
 *
 * @param rotation the number of the round, from 0.
 * @returns a share for each leaf. The sum is the total, or all demands.
 */
export function maxMin(total: number, { tree, demands }: Claims, rotation: number): readonly number[] {
  const { demandOf, shares } = open(tree, demands);
  const all = demandOf(tree.root);
  if (all <= total) return [...demands];
  const most = Math.floor(total);
  const round = rotation % Math.floor(Number.MAX_SAFE_INTEGER / (most + 1));

  function pour(node: Group | Leaf, { rate, per, from, to }: Flow): void {
    if ("leaf" in node) return void (shares[node.leaf] = to - from);
    const ascending = node.children.map(demandOf).sort((a, b) => a - b);
    let [left, served, sum] = [rate, 0, 0];
    for (const demand of ascending) {
      if (demand * per * (ascending.length - served) > left) break;
      left -= demand * per;
      sum += demand;
      served += 1;
    }
    const tooMuch = ascending[served] ?? Infinity;
    const unserved = node.children.filter((child) => demandOf(child) >= tooMuch);
    for (const child of node.children) if (demandOf(child) < tooMuch) serve(child, { demands, shares });
    for (const [index, child] of unserved.entries()) {
      const before = (units: number) => Math.floor((units + unserved.length - 1 - index) / unserved.length);
      const [begin, end] = [before(from - round * sum), before(to - (round + 1) * sum)];
      pour(child, { rate: left, per: per * unserved.length, from: begin, to: end });
    }
  }

  pour(tree.root, { rate: most, per: 1, from: round * most, to: (round + 1) * most });
  return shares;
}

function open({ nodes, root }: Tree, demands: readonly number[]) {
  const sums = new Float64Array(nodes);
  const sum = (node: Group | Leaf): number =>
    (sums[node.node] =
      "leaf" in node ? (demands[node.leaf] ?? 0) : node.children.reduce((all, child) => all + sum(child), 0));
  sum(root);
  const shares = new Array<number>(demands.length).fill(0);
  return { demandOf: (node: Group | Leaf): number => sums[node.node] ?? 0, shares };
}

function serve(node: Group | Leaf, to: { readonly demands: readonly number[]; readonly shares: number[] }): void {
  if ("leaf" in node) to.shares[node.leaf] = to.demands[node.leaf] ?? 0;
  else for (const child of node.children) serve(child, to);
}

/** Takes the first ones of each group, as many as its share, in the list's order. */
export function firstInShares<T>(
  all: readonly T[],
  pathOf: (one: T) => readonly string[],
  { most, rotation }: { readonly most: number; readonly rotation: number },
): readonly T[] {
  if (all.length <= most) return all;
  const groups = new Map<string, { readonly path: readonly string[]; demand: number }>();
  const groupOf = all.map((one) => {
    const path = pathOf(one);
    const name = JSON.stringify(path);
    const group = groups.get(name) ?? { path, demand: 0 };
    group.demand += 1;
    groups.set(name, group);
    return group;
  });
  const claims = [...groups.values()];
  const tree = treeOf(claims.map(({ path }) => path));
  const shares = maxMin(most, { tree, demands: claims.map(({ demand }) => demand) }, rotation);
  const left = new Map(claims.map((group, index) => [group, shares[index] ?? 0]));
  return all.filter((_, index) => {
    const group = groupOf[index] as (typeof claims)[number];
    const share = left.get(group) ?? 0;
    left.set(group, share - 1);
    return share > 0;
  });
}

/**
 * As maxMin, for leaves that need all or nothing. What is left goes to leaves of the group that fit, in rotation, then
 * to the group above.
 */
export function maxMinWhole(total: number, claims: Claims, rotation: number): readonly boolean[] {
  const { demands, tree } = claims;
  const demandOf = (leaf: number) => demands[leaf] ?? 0;
  const shares = maxMin(total, claims, rotation);
  const taken = shares.map((share, leaf) => share === demands[leaf]);

  function settle(node: Group | Leaf): { readonly left: number; readonly waiting: readonly number[] } {
    if ("leaf" in node) {
      const { leaf } = node;
      return taken[leaf] === true ? { left: 0, waiting: [] } : { left: shares[leaf] ?? 0, waiting: [leaf] };
    }
    const below = node.children.map(settle);
    let left = below.reduce((sum, one) => sum + one.left, 0);
    const fitting = below.map(({ waiting }) => waiting.filter((leaf) => demandOf(leaf) <= left));
    const largest = fitting.flat().reduce((most, leaf) => Math.max(most, demandOf(leaf)), 1);
    const fit = Math.max(1, Math.floor(left / largest));
    for (const leaf of roundRobin(fitting, { fit, rotation, node: node.node })) {
      if (demandOf(leaf) > left) continue;
      left -= demandOf(leaf);
      taken[leaf] = true;
    }
    return { left, waiting: below.flatMap(({ waiting }) => waiting).filter((leaf) => taken[leaf] !== true) };
  }

  settle(tree.root);
  return taken;
}

interface RoundStart {
  readonly fit: number;
  readonly rotation: number;
  readonly node: number;
}

/**
 * One of each list in turn, with a new start in each cycle.
 */
function roundRobin(lists: readonly (readonly number[])[], { fit, rotation, node }: RoundStart): readonly number[] {
  let left = lists.filter(({ length }) => length > 0);
  const rounds = Math.max(1, Math.ceil(left.length / fit));
  const cycle = Math.floor(rotation / rounds);
  const start = ((rotation % rounds) * fit + draw(cycle, 2 * node)) % left.length;
  const offset = draw(cycle, 2 * node + 1);
  left = [...left.slice(start), ...left.slice(0, start)];
  const all: number[] = [];
  for (let index = 0; left.length > 0; index++) {
    for (const list of left) all.push(list[(index + offset) % list.length] ?? 0);
    left = left.filter(({ length }) => index + 1 < length);
  }
  return all;
}

function draw(cycle: number, by: number): number {
  return spread(mixed(mixed(0x811c9dc5, cycle % 2 ** 32), by));
}

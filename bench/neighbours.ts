import type { MetricSpec } from "../lib/k8s/hpa";
import type { Cluster } from "../lib/model/ports/cluster";
import { fakeCluster } from "../test/fakes/fake-cluster";
import { runBench } from "./harness/backend-process";
import { openDeployment, periodMs, queueMetric, start } from "./harness/deployment";
import { judge, measureUntil } from "./harness/report";
import { namespace, otherRegion, reachCluster, startApiServer, startQueues, startSilent } from "./neighbours/backends";

/**
 * What dead neighbours cost healthy HPAs: the time from a slot's start to the last healthy scale write, compared with
 * the same slot in which all queues and metrics answer, or the other cluster does not exist. Clients are real; the
 * table is in memory.
 */
const budget = 1.1;
const attempts = 20;
const slots = 5;

interface Scenario {
  readonly healthy: number;
  readonly neighbours: number;
  /** Queues of another region, external.metrics.k8s.io of the same API server, or a cluster in the same invocation. */
  readonly dead: "queues" | "metrics" | "cluster";
}

const scenarios: Readonly<Record<string, Scenario>> = {
  "1 dead queue beside 400": { healthy: 400, neighbours: 1, dead: "queues" },
  "40 dead queues beside 400": { healthy: 400, neighbours: 40, dead: "queues" },
  "400 dead queues beside 400": { healthy: 400, neighbours: 400, dead: "queues" },
  "a dead aggregated API with 40 HPAs beside 100": { healthy: 100, neighbours: 40, dead: "metrics" },
  "a dead cluster of 40 HPAs beside one of 400": { healthy: 400, neighbours: 40, dead: "cluster" },
};

/** Milliseconds from a slot's start to the last healthy scale write: in the first slot, and in the best later one. */
interface Times {
  readonly first: number;
  readonly later: number;
}

const depth: MetricSpec = {
  type: "External",
  external: { metric: { name: "depth" }, target: { type: "AverageValue", averageValue: "5" } },
};

/** The names of two kinds interleave, so that neither loads first. */
const namesOf = (count: number, kind: "healthy" | "neighbour") =>
  Array.from({ length: count }, (_, index) => `h${String(index).padStart(3, "0")}-${kind}`);

async function time({ healthy, neighbours, dead }: Scenario, isDead: boolean): Promise<Times> {
  let at = start;
  const now = () => at;
  const own = namesOf(healthy, "healthy");
  const others = dead === "cluster" && !isDead ? [] : namesOf(neighbours, "neighbour");
  const inProd = dead === "cluster" ? own : [...own, ...others];
  const silent = await startSilent();
  const queues = await startQueues(now, isDead && dead === "queues" ? silent.url : undefined);
  const server = await startCluster(dead, inProd, {
    now,
    ...(isDead && { dead: /^\/apis\/external\.metrics\.k8s\.io\// }),
  });
  const away = reachCluster({ endpoint: silent.url }, { token: "bench", now });
  let scaledAt: number[] = [];
  const timed = (cluster: Cluster): Cluster => ({
    ...cluster,
    putScale: (...[target, scale, signal]: Parameters<Cluster["putScale"]>) => {
      if (target.name.endsWith("-healthy")) scaledAt.push(performance.now());
      return cluster.putScale(target, scale, signal);
    },
  });
  const clusters = {
    prod: async () => timed(await server.connect()),
    ...(dead === "cluster" && isDead && { dead: away.connect }),
  };
  const deployment = openDeployment({ clusters, sources: queues.sources, now });
  const add = (cluster: string, name: string, metric: MetricSpec) =>
    deployment.add(cluster, `${namespace}/${name}`, growing(metric));
  for (const name of own) add("prod", name, queueMetric(queues.add(name)));
  for (const name of others) {
    if (dead === "queues") add("prod", name, queueMetric(queues.add(name), otherRegion));
    else add(dead === "cluster" ? "dead" : "prod", name, depth);
  }
  const scaled = healthy + (isDead ? 0 : others.length);
  try {
    const times: number[] = [];
    for (let index = 1; index <= slots; index++) {
      const slot = start + index * periodMs;
      at = slot + 100;
      scaledAt = [];
      const startedAt = performance.now();
      const results = await Promise.all(Object.keys(clusters).map((cluster) => deployment.sync(cluster, slot)));
      const sum = results.reduce((total, result) => total + result.scaled, 0);
      if (sum !== scaled) throw new Error(`slot ${index}: expected ${scaled} HPAs to scale, got ${sum}`);
      times.push(Math.max(...scaledAt) - startedAt);
    }
    return { first: times[0] ?? Infinity, later: Math.min(...times.slice(1)) };
  } finally {
    away.close();
    await Promise.all([queues.close(), silent.close(), server.close()]);
  }
}

/** By one replica a slot, for every measured slot. */
const growing = (metric: MetricSpec) => ({
  ...{ minReplicas: 1, maxReplicas: 100, metrics: [metric] },
  behavior: { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 15 }] } },
});

async function startCluster(
  dead: Scenario["dead"],
  names: readonly string[],
  options: Parameters<typeof startApiServer>[1],
): ReturnType<typeof startApiServer> {
  if (dead !== "queues") return startApiServer(names, options);
  const cluster = fakeCluster();
  for (const name of names) cluster.add(`${namespace}/${name}`, 1);
  return { connect: () => Promise.resolve(cluster), close: () => Promise.resolve() };
}

/** A shared machine is noisy: the best of what was measured so far counts. */
async function compare(name: string, scenario: Scenario): Promise<void> {
  let [dead, without]: [Times, Times] = [worst, worst];
  const all = await measureUntil(
    attempts,
    async () => {
      without = best(without, await time(scenario, false));
      dead = best(dead, await time(scenario, true));
      return { first: dead.first / without.first, later: dead.later / without.later };
    },
    ({ first, later }) => first <= budget && later <= budget,
  );
  for (const slot of ["later", "first"] as const) {
    const times = `${dead[slot].toFixed(0)} ms, ${without[slot].toFixed(0)} ms without, best of ${all.length}`;
    const when = slot === "first" ? " in the first slot, which knows nothing yet" : "";
    judge(`${name}: last healthy scale write${when} after ${times}; ratio`, all.at(-1)?.[slot] ?? Infinity, budget);
  }
}

const worst: Times = { first: Infinity, later: Infinity };
const best = (one: Times, other: Times): Times => ({
  first: Math.min(one.first, other.first),
  later: Math.min(one.later, other.later),
});

async function main(): Promise<void> {
  await time({ healthy: 400, neighbours: 40, dead: "queues" }, false); // warms the code up
  for (const [name, scenario] of Object.entries(scenarios)) await compare(name, scenario);
}

runBench(main);

import type { Act, Story } from "./stories/story";
import { shrink } from "./stories/shrink";

const acts = Array.from({ length: 40 }, (_, index): Act => ({
  atMs: index * 1_000,
  do: "touch",
  hpa: `shop/h${index % 4}`,
}));
const story: Story = {
  seed: 1,
  setting: { periodSeconds: 15, downscaleStabilizationSeconds: 60, skewsMs: [0], lagMs: 0, batchSize: 1 },
  hpas: ["shop/h0", "shop/h1", "shop/h2", "shop/h3"].map((key) => ({
    key,
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: key }, maxReplicas: 3 },
    replicas: 1,
  })),
  acts,
  incidents: Array.from({ length: 20 }, (_, index) => ({ atMs: index, fn: "sync", call: index, kind: "refused" })),
  faultsEndMs: 100_000,
  calmAtMs: 200_000,
  checksMs: [],
  endMs: 300_000,
};

/** As a bug would that needs two acts of one HPA, and one incident. */
function breaks({ acts, incidents }: Story): Promise<boolean> {
  const has = (atMs: number) => acts.some((act) => act.atMs === atMs);
  return Promise.resolve(has(7_000) && has(31_000) && incidents.some(({ call }) => call === 13));
}

test("what does not matter is gone", async () => {
  const { story: smallest, isCut } = await shrink(story, { breaks, hasTime: () => true });
  expect(isCut).toBe(false);
  expect(smallest.acts.map(({ atMs }) => atMs)).toEqual([7_000, 31_000]);
  expect(smallest.incidents.map(({ call }) => call)).toEqual([13]);
  expect(smallest.hpas.map(({ key }) => key)).toEqual(["shop/h3"]);
});

test.each([0, 1, 5, 20])("after %i runs without time left, the story is the smallest one so far", async (most) => {
  let runs = 0;
  const seen: Story[] = [story];
  const { story: smallest, isCut } = await shrink(story, {
    breaks: async (candidate) => {
      runs += 1;
      const isBroken = await breaks(candidate);
      if (isBroken) seen.push(candidate);
      return isBroken;
    },
    hasTime: () => runs < most,
  });
  expect(runs).toBe(most);
  expect(isCut).toBe(true);
  expect(smallest).toBe(seen.at(-1));
});

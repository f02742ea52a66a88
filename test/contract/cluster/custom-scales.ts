import type { TargetCluster } from "../../../lib/cluster/cluster";
import { present } from "../../../lib/k8s/map";
import type { Scale } from "../../../lib/k8s/objects";
import type { Target } from "../../../lib/model/ports/cluster";
import { until } from "../../time/until";
import type { ApiServerFixture, arrangedServer } from "./api-server";
import { setUpMs, signal } from "./bench";
import { startFlakyProxy } from "./flaky-proxy";

type Server = Awaited<ReturnType<typeof arrangedServer>>;

const group = "shapes.ebb.dev";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const kinds = ["Flat", "Nested", "Plain", "Changing", "Odd"] as const;
type Kind = (typeof kinds)[number];

const flat = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
const scaleOf: Readonly<Record<Kind, object | undefined>> = {
  Flat: { ...flat, labelSelectorPath: ".status.selector" },
  Nested: {
    specReplicasPath: ".spec.pool.size.wanted",
    statusReplicasPath: ".status.pool.size.ready",
    labelSelectorPath: ".spec.pool.pods",
  },
  Plain: flat,
  Changing: { ...flat, specReplicasPath: ".spec.size" },
  // It gets a scale when its objects are there: with one, the API server refuses to write what it could not read.
  Odd: undefined,
};

/** Two versions that are served; only the second has /scale, and a list kind of its own. */
function definitionOf(kind: Kind, scale = scaleOf[kind]) {
  const singular = kind.toLowerCase();
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const version = { served: true, schema };
  return {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: `${singular}s.${group}` },
    spec: {
      ...{ group, scope: "Namespaced" },
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}Collection` },
      versions: [
        { ...version, name: "v2", storage: false, subresources: { status: {} } },
        { ...version, name: "v1", storage: true, subresources: { status: {}, ...present({ scale }) } },
      ],
    },
  };
}

interface Shape {
  readonly spec?: unknown;
  readonly status?: unknown;
}

const usual: Readonly<Record<Kind, (index: number) => Shape>> = {
  Flat: (index) => ({ spec: { replicas: index }, status: { replicas: index + 1, selector: `app=flat-${index}` } }),
  Nested: (index) => ({
    spec: { pool: { size: { wanted: index }, pods: "app=nested,tier in (a,b)" } },
    status: { pool: { size: { ready: 2 } } },
  }),
  Plain: (index) => ({ spec: { replicas: index, selector: { matchLabels: { a: "b" } } }, status: { selector: "a=b" } }),
  Changing: (index) => ({ spec: { size: index, replicas: index + 100 } }),
  Odd: (index) => ({ spec: { replicas: index } }),
};

/** Objects of Odd that say nothing or something odd where the scale is. And what their scale is, or why it is none. */
const odd: Readonly<Record<string, readonly [Shape, object | RegExp]>> = {
  "no status": [{ spec: { replicas: 3 } }, { replicas: 0, selector: "" }],
  "an empty status": [
    { spec: { replicas: 3 }, status: {} },
    { replicas: 0, selector: "" },
  ],
  "an empty selector": [
    { spec: { replicas: 3 }, status: { selector: "" } },
    { replicas: 0, selector: "" },
  ],
  "a selector that is none": [{ spec: { replicas: 3 }, status: { selector: "a b,=" } }, { selector: "a b,=" }],
  "null in the status": [
    { spec: { replicas: 3 }, status: { replicas: null } },
    /.status.replicas accessor error: <nil>/,
  ],
  "a text in the status": [
    { spec: { replicas: 3 }, status: { replicas: "2" } },
    /.status.replicas accessor error: 2 is/,
  ],
  "a list for a status": [{ spec: { replicas: 3 }, status: ["ready"] }, /accessor error/],
  "no replicas": [{ spec: {} }, /the spec replicas field ".spec.replicas" does not exist/],
  "no spec": [{}, /the spec replicas field ".spec.replicas" does not exist/],
  "a text for replicas": [{ spec: { replicas: "3" } }, /.spec.replicas accessor error: 3 is of the type string/],
  "half a replica": [{ spec: { replicas: 2.5 } }, /.spec.replicas accessor error: 2.5 is of the type float64/],
  "a negative size": [
    { spec: { replicas: -1 } },
    /spec.replicas: expected a whole number from 0 to 2147483647, got -1/,
  ],
  "more than an int32": [{ spec: { replicas: 2 ** 31 } }, /spec.replicas: expected a whole number/],
  "a list for a spec": [{ spec: [{ replicas: 3 }] }, /.spec.replicas accessor error/],
  "a text for a spec": [{ spec: "replicas" }, /.spec.replicas accessor error/],
  "a structured selector": [
    { spec: { replicas: 3 }, status: { selector: { matchLabels: { a: "b" } } } },
    /.status.selector accessor error/,
  ],
};

/** So many targets of one run are read by a list. */
const enough = 24;

/** That a list of custom resources says what GET /scale says of each, whatever their definition and they look like. */
export function customScalesContract(
  given: () => { readonly server: Server; readonly fixture: ApiServerFixture },
): void {
  describe("the scales of custom resources", () => {
    /** How far the client's clock is ahead. */
    let ahead = 0;
    let proxy: Awaited<ReturnType<typeof startFlakyProxy>>;
    let cluster: TargetCluster;

    beforeAll(async () => {
      const { server, fixture } = given();
      for (const kind of kinds) await server.define(definitionOf(kind));
      proxy = await startFlakyProxy(fixture);
      const { endpoint, certificateAuthorityData } = proxy;
      const now = () => Date.now() + ahead;
      cluster = await server.connect(fixture.adminToken, { endpoint, certificateAuthorityData }, now);
    }, setUpMs);
    afterAll(async () => {
      await proxy.close();
    });

    const collection = (kind: Kind) =>
      `/apis/${group}/v1/namespaces/${given().server.namespace}/${kind.toLowerCase()}s`;

    async function make(kind: Kind, name: string, { spec, status }: Shape): Promise<Target> {
      const { server } = given();
      const object = { apiVersion: `${group}/v1`, kind, metadata: { name } };
      await server.arrange("POST", collection(kind), { ...object, ...present({ spec }) });
      // A merge patch would take null away.
      if (status !== undefined) {
        const stored = await server.arrange<object>("GET", `${collection(kind)}/${name}`);
        await server.arrange("PUT", `${collection(kind)}/${name}/status`, { ...stored, status });
      }
      return { apiVersion: `${group}/v1`, kind, name, namespace: server.namespace };
    }

    async function makeUsual(kind: Kind): Promise<readonly Target[]> {
      const targets = [];
      for (let index = 0; index < enough; index += 1)
        targets.push(await make(kind, `${kind.toLowerCase()}-${index}`, usual[kind](index)));
      return targets;
    }

    const readAlone = (targets: readonly Target[]) =>
      Promise.allSettled(targets.map((target) => cluster.getScale(target, signal())));

    const sizes = (read: readonly PromiseSettledResult<Scale>[]) =>
      read.map((each) => (each.status === "fulfilled" ? each.value.spec.replicas : undefined));
    const sizesOf = async (targets: readonly Target[]) => sizes(await readAlone(targets));

    async function change(kind: Kind, scale: object): Promise<void> {
      const path = `${definitions}/${kind.toLowerCase()}s.${group}`;
      const stored = await given().server.arrange<object>("GET", path);
      await given().server.arrange("PUT", path, { ...stored, spec: definitionOf(kind, scale).spec });
    }

    /** As one run; and how many requests for scales and lists it took. */
    async function readTogether(targets: readonly Target[]) {
      const [batch, limit] = [{ targets }, signal()];
      proxy.asked.splice(0);
      const read = await Promise.allSettled(targets.map((target) => cluster.getScale(target, limit, batch)));
      const paths = proxy.asked.map((path) => new URL(path, "https://x").pathname);
      const gets = paths.filter((path) => path.endsWith("/scale")).length;
      return { read, gets, lists: paths.filter((path) => path === collection(targets[0]!.kind as Kind)).length };
    }

    /** Later, when the definition counts. */
    async function settle(targets: readonly Target[]): Promise<void> {
      await readTogether(targets);
      ahead += 15_000;
    }

    test.each(["Flat", "Nested", "Plain"] as const)(
      "%s: a list says what GET /scale says",
      async (kind) => {
        const targets = await makeUsual(kind);
        await settle(targets);
        const { read, ...asked } = await readTogether(targets);
        expect(asked).toEqual({ gets: 0, lists: 1 });
        expect(read).toEqual(await readAlone(targets));
        expect(sizes(read)).toEqual([...targets.keys()]);
        const scaled = await cluster.getScale(targets[4]!, signal());
        await cluster.putScale(targets[4]!, { ...scaled, spec: { replicas: 78 } }, signal());
        await given().server.arrange("DELETE", `${collection(kind)}/${targets[3]!.name}`);
        const later = await readTogether(targets);
        expect(later).toMatchObject({ gets: 1, lists: 1 });
        expect(later.read).toEqual(await readAlone(targets));
        expect(later.read.slice(3, 5)).toMatchObject([
          { status: "rejected", reason: { kind: "notFound" } },
          { value: { spec: { replicas: 78 } } },
        ]);
      },
      60_000,
    );

    test("an odd object has the scale that the API server makes of it, or the error", async () => {
      const targets = [...(await makeUsual("Odd"))];
      const names = Object.keys(odd);
      for (const [index, name] of names.entries()) targets.push(await make("Odd", `odd-as-${index}`, odd[name]![0]));
      await change("Odd", { ...flat, labelSelectorPath: ".status.selector" });
      await until(async () =>
        JSON.stringify(await given().server.arrange("GET", `/apis/${group}/v1`)).includes("odds/scale"),
      );
      ahead += 600_000; // what the client keeps of discovery is too old now
      await until(async () => (await sizesOf(targets.slice(1, 2)))[0] === 1);
      await settle(targets);
      const { read, lists } = await readTogether(targets);
      expect(lists).toBe(1);
      expect(read).toEqual(await readAlone(targets));
      const outcomes = read.slice(enough).map((each) => {
        return each.status === "fulfilled" ? each.value.status : (each.reason as Error).message;
      });
      for (const [index, name] of names.entries()) {
        const [, expected] = odd[name]!;
        if (expected instanceof RegExp)
          expect([name, outcomes[index]]).toEqual([name, expect.stringMatching(expected)]);
        else expect([name, outcomes[index]]).toEqual([name, expect.objectContaining(expected)]);
      }
    }, 60_000);

    test("a changed path counts from its turn on", async () => {
      const targets = await makeUsual("Changing");
      await settle(targets);
      const before = await readTogether(targets);
      expect(before).toMatchObject({ gets: 0, lists: 1 });
      expect(sizes(before.read)).toEqual([...targets.keys()]);
      await change("Changing", flat);
      const changed = [...targets.keys()].map((index) => index + 100);
      await until(async () => (await sizesOf(targets.slice(0, 1)))[0] === 100);
      const after = await readTogether(targets);
      expect(after).toMatchObject({ gets: enough, lists: 1 });
      expect(sizes(after.read)).toEqual(changed);
      await settle(targets);
      const later = await readTogether(targets);
      expect(later).toMatchObject({ gets: 0, lists: 1 });
      expect(sizes(later.read)).toEqual(changed);
    }, 60_000);
  });
}

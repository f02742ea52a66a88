import { stringify } from "yaml";
import { tableForTests } from "../table";

const { run, file } = tableForTests();

const foreign = "example.com/v1";
const why = `is left out: it is of ${foreign}, and KEDA's is of keda.sh/v1alpha1`;
const cron = { timezone: "UTC", start: "0 8 * * *", end: "0 9 * * *", desiredReplicas: "3" };
const redis = { type: "redis", metadata: { address: "r.example.com:6379", listName: "jobs", enableTLS: "true" } };

const scaledObject = (apiVersion: string | undefined, trigger: object = { type: "cron", metadata: cron }) => ({
  ...(apiVersion !== undefined && { apiVersion }),
  kind: "ScaledObject",
  metadata: { name: "web", namespace: "shop" },
  spec: { scaleTargetRef: { name: "web" }, triggers: [trigger] },
});

const fileOf = (...objects: readonly object[]) => file(objects.map((one) => stringify(one)).join("---\n"));

describe("an object of another API group with a kind of KEDA's", () => {
  test.each(["ScaledObject", "ScaledJob", "TriggerAuthentication", "ClusterTriggerAuthentication"])(
    "%s is left out, with its group",
    async (kind) => {
      const path = await fileOf({ ...scaledObject(foreign), kind });
      const { stdout, stderr } = await run(["import", "keda", path]);
      expect([stdout, stderr]).toEqual(["", `Warning: ${kind} shop/web ${why}\nNo ScaledObjects found.\n`]);
      const checked = await run(["validate", "--import-keda", path]);
      expect(checked.stderr).toContain(`${kind} ${why}`);
      expect(checked.stdout).toBe("");
    },
  );

  test("is not one that --import-keda would convert", async () => {
    const { stderr } = await run(["validate", await fileOf(scaledObject(foreign))]);
    expect(stderr).toContain(`1 ScaledObject of ${foreign}\n`);
    expect(stderr).not.toContain("--import-keda");
  });

  test("in a list of that group is left out, too", async () => {
    const { metadata, spec } = scaledObject(foreign);
    const path = await fileOf({ apiVersion: foreign, kind: "ScaledObjectList", items: [{ metadata, spec }] });
    expect((await run(["import", "keda", path])).stderr).toContain(`ScaledObject shop/web ${why}`);
  });

  test("is no TriggerAuthentication of a ScaledObject", async () => {
    const authentication = {
      apiVersion: foreign,
      kind: "TriggerAuthentication",
      metadata: { name: "auth", namespace: "shop" },
      spec: { secretTargetRef: [{ parameter: "password", name: "s", key: "k" }] },
    };
    const object = scaledObject("keda.sh/v1alpha1", { ...redis, authenticationRef: { name: "auth" } });
    const { stderr } = await run(["import", "keda", await fileOf(object, authentication)]);
    expect(stderr).toContain("authenticationRef TriggerAuthentication auth is not carried over");
    expect(stderr).not.toContain("in the Secret s");
  });

  test("may own an HPA, which then is not KEDA's", async () => {
    const hpa = (apiVersion: string) => ({
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: {
        name: "web",
        namespace: "shop",
        ownerReferences: [{ apiVersion, kind: "ScaledObject", name: "web" }],
      },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
    });
    const stderrOf = async (apiVersion: string) =>
      (await run(["import", "hpa", "-f", await fileOf(hpa(apiVersion))])).stderr;
    expect(await stderrOf("keda.sh/v1alpha1")).toContain("it belongs to KEDA's ScaledObject web");
    expect(await stderrOf(foreign)).toContain("belongs to ScaledObject web, which creates it again");
  });
});

test("an HPA of another API group is refused by import, and by validate", async () => {
  const hpa = { apiVersion: foreign, kind: "HorizontalPodAutoscaler", metadata: { name: "web" }, spec: {} };
  const list = { apiVersion: foreign, kind: "HorizontalPodAutoscalerList", items: [{ metadata: { name: "web" } }] };
  for (const object of [hpa, list]) {
    const path = await fileOf(object);
    for (const args of [["import", "hpa", "-f"], ["validate"]]) {
      const { stdout, stderr } = await run([...args, path]);
      expect(stderr).toContain(`apiVersion: Unsupported value: "${foreign}"`);
      expect(stdout).toBe("");
    }
  }
});

test.each([undefined, "keda.sh", "keda.sh/v2", "keda.sh/v1alpha1/x"])(
  "a ScaledObject of KEDA's of apiVersion %j is refused",
  async (apiVersion) => {
    const path = await fileOf(scaledObject(apiVersion));
    const got = apiVersion === undefined ? "nothing" : JSON.stringify(apiVersion);
    const said = `apiVersion: expected keda.sh/v1alpha1, got ${got}\n`;
    for (const args of [
      ["import", "keda"],
      ["validate", "--import-keda"],
    ])
      expect((await run([...args, path])).stderr).toContain(said);
  },
);

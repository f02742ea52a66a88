import { parse } from "yaml";
import { tableForTests } from "./table";

const { run, register, byHand, clear } = tableForTests();

const hpa = {
  pk: "CLUSTER#prod",
  sk: "HPA#shop/web",
  metadata: { name: "web", namespace: "shop" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 5 },
};
const inShop = (...args: readonly string[]) => run([...args, "-n", "shop", "--cluster", "prod"]);

beforeEach(async () => {
  await register("prod");
  const at = "2026-03-01T11:00:00Z";
  await byHand({
    ...hpa,
    status: {
      conditions: [
        { type: "AbleToScale", status: "True", reason: "Ready", message: "m" },
        { type: "ScalingActive", status: "True", lastTransitionTime: at },
      ],
    },
  });
});
afterEach(() => clear("prod"));

/** As kube-apiserver 1.37.2 serves it after a PUT of such a status. */
const served = '{"type":"AbleToScale","status":"True","lastTransitionTime":null,"reason":"Ready","message":"m"}';
const other = '{"type":"ScalingActive","status":"True","lastTransitionTime":"2026-03-01T11:00:00Z"}';

test("a condition that has never changed is served with null, in every format", async () => {
  const json = (await inShop("get", "hpa", "web", "-o", "json")).stdout;
  expect(JSON.stringify((JSON.parse(json) as Served).status.conditions)).toContain('"lastTransitionTime":null');
  const yaml = (await inShop("get", "hpa", "web", "-o", "yaml")).stdout;
  expect(yaml).toContain("  - lastTransitionTime: null\n");
  expect((parse(yaml) as Served).status.conditions).toEqual(JSON.parse(`[${served},${other}]`));
  const path = "jsonpath={.status.conditions[0].lastTransitionTime}";
  expect((await inShop("get", "hpa", "web", "-o", path)).stdout).toBe("null");
});

test("and by the annotation of v1", async () => {
  const { stdout } = await inShop("get", "horizontalpodautoscaler.v1.autoscaling", "web", "-o", "json");
  const { annotations } = (JSON.parse(stdout) as { metadata: { annotations: Record<string, string> } }).metadata;
  expect(annotations["autoscaling.alpha.kubernetes.io/conditions"]).toBe(`[${served},${other}]`);
});

test("describe prints it like any other", async () => {
  const { stdout } = await inShop("describe", "hpa", "web");
  expect(stdout).toMatch(/AbleToScale +True +Ready +m\n/);
});

interface Served {
  readonly status: { readonly conditions: unknown };
}

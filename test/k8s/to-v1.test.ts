import { toV1 } from "../../lib/k8s/codec/encode-v1";
import { validateHpa } from "../../lib/k8s/validate/validate-hpa";
import { readVectors } from "../core/vectors";

interface Vector {
  readonly id: string;
  readonly v2: unknown;
  readonly v1: unknown;
}

const vectors = readVectors<Vector>("v1");

test("every recorded object has the v1 form that the API server serves, in its order", () => {
  const served = vectors.map(({ id, v2 }) => {
    const { hpa, errors } = validateHpa(v2);
    return [id, hpa === undefined ? errors : JSON.stringify(toV1(hpa))];
  });
  expect(served).toEqual(vectors.map(({ id, v1 }) => [id, JSON.stringify(v1)]));
  expect(served).toHaveLength(400);
});

test("fields of metadata that only the API server has come last", () => {
  const { hpa } = validateHpa({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 3 },
  });
  if (hpa === undefined) throw new Error("invalid");
  const metadata = { finalizers: ["x"], labels: { b: "1", a: "2" }, annotations: {}, namespace: "shop", name: "web" };
  expect(JSON.stringify(toV1({ ...hpa, metadata }).metadata)).toBe(
    '{"name":"web","namespace":"shop","labels":{"a":"2","b":"1"},"finalizers":["x"]}',
  );
});

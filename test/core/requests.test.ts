import type { Container, Pod } from "../../lib/k8s/objects";
import { podRequests } from "../../lib/core/recommend/pod-requests";

const container = (name: string, cpu?: string): Container => ({
  name,
  resources: cpu === undefined ? {} : { requests: { cpu } },
});
const sidecar = (name: string, cpu?: string): Container => ({ ...container(name, cpu), restartPolicy: "Always" });
const pod = (spec: Pod["spec"] = {}): Pod => ({ metadata: { name: "p" }, spec });

const app = container("app", "100m");
const whole = (requests: Record<string, string>) => ({ resources: { requests } });

test.each<[string, Pod, string, bigint | string]>([
  ["containers add up", pod({ containers: [app, container("b", "1")] }), "", 1100n],
  ["a sidecar adds to them", pod({ containers: [app], initContainers: [sidecar("s", "50m")] }), "", 150n],
  [
    "an init container that ends adds nothing",
    pod({ containers: [app], initContainers: [container("i", "9")] }),
    "",
    100n,
  ],
  ["one container is asked for", pod({ containers: [container("b"), app] }), "app", 100n],
  ["a sidecar is asked for", pod({ containers: [app], initContainers: [sidecar("s", "50m")] }), "s", 50n],
  ["no containers at all", pod(), "", 0n],
  ["less than a thousandth rounds up", pod({ containers: [container("app", "1n")] }), "", 1n],
  [
    "a container without a request",
    pod({ containers: [app, container("b")] }),
    "",
    "missing request for cpu in container b of Pod p",
  ],
  [
    "a sidecar without a request",
    pod({ containers: [app], initContainers: [sidecar("s")] }),
    "",
    "missing request for cpu in container s of Pod p",
  ],
  [
    "the container has no request",
    pod({ containers: [container("b")] }),
    "b",
    "missing request for cpu in container b of Pod p",
  ],
  ["the container is not there", pod({ containers: [app] }), "web", "container web not found in Pod p"],
  ["the container only starts the pod", pod({ initContainers: [app] }), "app", "container app not found in Pod p"],
  ["the pod's own request comes first", pod({ ...whole({ cpu: "2" }), containers: [container("app")] }), "", 2000n],
  [
    "the pod's own request does not apply to one container",
    pod({ ...whole({ cpu: "2" }), containers: [app] }),
    "app",
    100n,
  ],
  ["the pod's overhead is added", pod({ ...whole({ cpu: "2" }), overhead: { cpu: "10m" } }), "", 2010n],
  [
    "the pod requests something else: its containers count",
    pod({ ...whole({ memory: "1" }), containers: [app, container("b")] }),
    "",
    100n,
  ],
  [
    "the pod requests something else, and its containers do not request this",
    pod({ ...whole({ memory: "1" }), containers: [container("b")] }),
    "",
    "missing pod-level request for cpu in Pod p",
  ],
  ["a pod may request huge pages", pod({ ...whole({ "hugepages-2Mi": "1" }), containers: [app] }), "", 100n],
  [
    "a resource that pods cannot request is ignored",
    pod({ ...whole({ "example.com/gpu": "1" }), containers: [container("b")] }),
    "",
    "missing request for cpu in container b of Pod p",
  ],
  [
    "a pod that requests huge pages must request this, too",
    pod({ ...whole({ "hugepages-2Mi": "1" }), containers: [container("b")] }),
    "",
    "missing pod-level request for cpu in Pod p",
  ],
  [
    "a resource that pods cannot request may appear beside it",
    pod({ ...whole({ "example.com/gpu": "1", cpu: "2" }), containers: [container("b")] }),
    "",
    2000n,
  ],
  [
    "a pod that requests something else and has no containers",
    pod(whole({ memory: "1" })),
    "",
    "missing pod-level request for cpu in Pod p",
  ],
  [
    "containers without resources",
    pod({ ...whole({ memory: "1" }), containers: [app, { name: "b" }], initContainers: [{ name: "i" }] }),
    "",
    100n,
  ],
  [
    "a container without resources",
    pod({ containers: [{ name: "b" }] }),
    "",
    "missing request for cpu in container b of Pod p",
  ],
  ["a pod without a spec", { metadata: { name: "p" } }, "", 0n],
  ["a pod without a spec has no container", { metadata: { name: "p" } }, "app", "container app not found in Pod p"],
  [
    "the largest of the init containers, first",
    pod({ ...whole({ memory: "1" }), containers: [app], initContainers: [container("i", "9"), container("j", "1")] }),
    "",
    9000n,
  ],
  [
    "the largest of the init containers, last",
    pod({ ...whole({ memory: "1" }), containers: [app], initContainers: [container("i", "1"), container("j", "9")] }),
    "",
    9000n,
  ],
  [
    "only an init container requests it",
    pod({ ...whole({ memory: "1" }), containers: [container("b")], initContainers: [container("i", "1")] }),
    "",
    1000n,
  ],
  ["an empty map is no pod-level request", pod({ ...whole({}), containers: [app] }), "", 100n],
  [
    "an init container may request more than all others together",
    pod({ ...whole({ memory: "1" }), containers: [app], initContainers: [container("i", "9")] }),
    "",
    9000n,
  ],
  [
    "with the sidecars before it",
    pod({ ...whole({ memory: "1" }), containers: [app], initContainers: [sidecar("s", "1"), container("i", "9")] }),
    "",
    10_000n,
  ],
  [
    "not with those after it",
    pod({ ...whole({ memory: "1" }), containers: [app], initContainers: [container("i", "9"), sidecar("s", "1")] }),
    "",
    9000n,
  ],
  [
    "an init container holds less",
    pod({ ...whole({ memory: "1" }), containers: [app], initContainers: [container("i", "9m"), container("j")] }),
    "",
    100n,
  ],
])("%s", (_, given, wanted, expected) => {
  const result = podRequests([given], "cpu", wanted);
  expect(result).toEqual(typeof expected === "string" ? { error: expected } : { value: new Map([["p", expected]]) });
});

test("a name that every object inherits is no request", () => {
  expect(podRequests([pod({ containers: [app] })], "constructor", "")).toEqual({
    error: "missing request for constructor in container app of Pod p",
  });
});

/** kubernetes#142155: the container still has 100m. */
test("a resize that the node has not done counts as done", () => {
  const resized = {
    ...pod({ containers: [container("app", "400m")] }),
    status: { phase: "Running", containerStatuses: [{ name: "app", resources: { requests: { cpu: "100m" } } }] },
  };
  expect(podRequests([resized], "cpu", "")).toEqual({ value: new Map([["p", 400n]]) });
});

import { readDocuments } from "./read-template";

interface Document {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly { readonly apiGroups: string[]; readonly resources: string[]; readonly verbs: string[] }[];
  readonly roleRef?: { readonly name: string };
}

const documents = readDocuments<Document>("infra/kubernetes/rbac.yaml");
const rules = documents.flatMap((document) => document.rules ?? []);

test("a cluster grants nothing but reading, and writing scales", () => {
  for (const { resources, verbs } of rules) {
    const writing = verbs.filter((verb) => !["get", "list"].includes(verb));
    if (writing.length > 0) expect(resources.filter((resource) => !resource.endsWith("/scale"))).toEqual([]);
    expect(verbs).not.toContain("*");
  }
});

test("resources are named, but for the metrics APIs, whose resources are the metrics", () => {
  const wild = rules.filter(({ resources }) => resources.includes("*")).flatMap(({ apiGroups }) => apiGroups);
  expect(wild).toEqual(["custom.metrics.k8s.io", "external.metrics.k8s.io"]);
  expect(rules.flatMap(({ apiGroups }) => apiGroups)).not.toContain("*");
});

test("every binding is of the one role", () => {
  const bindings = [...documents, ...readDocuments<Document>("infra/kubernetes/service-account.yaml")].filter(
    ({ kind }) => kind === "ClusterRoleBinding",
  );
  expect(bindings.map(({ roleRef }) => roleRef?.name)).toEqual(["ebb", "ebb"]);
  expect(new Set(bindings.map(({ metadata }) => metadata.name)).size).toBe(2);
});

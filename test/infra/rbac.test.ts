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

test("the one binding is of the one role", () => {
  const bindings = documents.filter(({ kind }) => /Binding$/.test(kind));
  expect(bindings.map(({ kind, roleRef }) => [kind, roleRef?.name])).toEqual([["ClusterRoleBinding", "ebb"]]);
});

test("a service account may do nothing until ebb rbac, or its user, grants it", () => {
  const kinds = readDocuments<Document>("infra/kubernetes/service-account.yaml").map(({ kind }) => kind);
  expect(kinds).toEqual(["Namespace", "ServiceAccount", "Secret"]);
});

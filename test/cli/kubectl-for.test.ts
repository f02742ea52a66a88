import { kubectlFor } from "../../cli/set-up/import/import-context";

test.each([
  ["a registered cluster", {}, "prod", "kubectl --context prod"],
  ["a cluster without a name", {}, undefined, "kubectl --context CONTEXT"],
  ["a context", { kubeContext: "admin@prod" }, "prod", "kubectl --context admin@prod"],
  ["a file", { kubeconfig: "/etc/k" }, "prod", "kubectl --kubeconfig /etc/k"],
  ["both", { kubeconfig: "my file", kubeContext: "a" }, undefined, "kubectl --kubeconfig 'my file' --context a"],
  ["a name that means something to a shell", {}, "a; rm -r ~", "kubectl --context 'a; rm -r ~'"],
])("kubectl for %s never uses the reader's current context by accident", (_, options, cluster, expected) => {
  expect(kubectlFor(options, cluster)).toBe(expected);
});

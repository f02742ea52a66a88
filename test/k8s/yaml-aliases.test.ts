import { parse } from "yaml";
import { aliasProblem } from "../../lib/k8s/yaml-aliases";
import { parseKubeconfig } from "../../lib/cluster/auth/kubeconfig-text";

const many = (text: (index: number) => string) => Array.from({ length: 2_001 }, (_, index) => text(index)).join("\n");

test.each([
  ["anchors in a list", many((index) => `- &a${index} x`)],
  ["aliases in a list", `a: &a x\nb:\n${many(() => "- *a")}`],
  ["aliases in a flow list", `a: &a x\nb: [${Array(2_001).fill("*a").join(",")}]`],
  ["anchors of members", many((index) => `k${index}: &a${index} x`)],
  ["aliases as keys", `a: &a x\nb:\n${many(() => "- ? *a")}`],
])("%s: too many", (_name, text) => {
  expect(() => void parse(text, { maxAliasCount: -1 })).not.toThrow();
  expect(aliasProblem(text)).toMatch(/^expected at most 2000 anchors and aliases, got 200[12] \(a limit of ebb\): /);
});

test.each([
  ["as many as there may be", Array.from({ length: 2_000 }, (_, index) => `- &a${index} x`).join("\n")],
  ["text with stars and ampersands", many(() => "* a & b && c ** d a*b a&b")],
  ["arithmetic", many((index) => `- ${index} * 2 & 7`)],
  ["nothing", ""],
])("%s: not too many", (_name, text) => {
  expect(aliasProblem(text)).toBeUndefined();
});

test("a kubeconfig with too many is refused", () => {
  expect(() => parseKubeconfig(many((index) => `- &a${index} x`))).toThrow(/^invalid YAML \(expected at most 2000/);
});

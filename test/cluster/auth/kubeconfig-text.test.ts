import { kubeconfigProblem, parseKubeconfig } from "../../../lib/cluster/auth/kubeconfig-text";

test.each([
  ["an open list", "hunter2: [", "invalid YAML (BAD_INDENT at line 1, column 11)"],
  ["a map in a scalar", "token: a: hunter2", "invalid YAML (BLOCK_AS_IMPLICIT_KEY at line 1, column 8)"],
  ["an open quote", 'a: 1\ntoken: "hunter2', "invalid YAML (MISSING_CHAR at line 2, column 16)"],
  ["a tab", "? hunter2\n\tx: 1", "invalid YAML (TAB_AS_INDENT at line 2, column 1)"],
  ["a directive", "%hunter2\na", "invalid YAML (MISSING_CHAR at line 2, column 1)"],
  ["a key twice", "hunter2: 1\nhunter2: 2", "invalid YAML (DUPLICATE_KEY at line 2, column 1)"],
  ["an alias of nothing", "token: *hunter2", "invalid YAML (an alias that cannot be resolved)"],
  ["two documents", "hunter2\n---\nhunter2", "invalid YAML (MULTIPLE_DOCS at line 2, column 1)"],
  ["JSON that is cut off", '{"token": "hunter2', "invalid YAML (MISSING_CHAR at line 1, column 19)"],
  ["a word", "hunter2", "expected a document"],
  ["a list", "[hunter2]", "expected a document"],
  ["nothing", "", "expected a document"],
])("%s: the error says what and where, and quotes nothing", (_name, text, message) => {
  const parse = () => parseKubeconfig(text);
  expect(parse).toThrow(message);
  expect(parse).not.toThrow(/hunter2/);
});

test("too many aliases are refused before they are parsed", () => {
  const text = `a: &hunter2 x\nb: [${"*hunter2, ".repeat(2_001)}]`;
  expect(() => parseKubeconfig(text)).toThrow(/^invalid YAML \(expected at most 2000 anchors and aliases, got 2002/);
});

test("aliases that explode are refused", () => {
  const rows = [
    "a0: &a0 [hunter2]",
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => `a${n}: &a${n} [${`*a${n - 1},`.repeat(9)}]`),
  ];
  expect(() => parseKubeconfig(rows.join("\n"))).toThrow("invalid YAML (an alias that cannot be resolved)");
});

test.each([
  [new Error("clusters[0].cluster.server is missing"), "clusters[0].cluster.server is missing"],
  [new Error("users[12].name is missing"), "users[12].name is missing"],
  [Object.assign(new Error("open '/hunter2'"), { code: "ENOENT" }), "ENOENT"],
  [Object.assign(new Error("x"), { code: "hunter2" }), "a form that ebb cannot read"],
  [new Error("hunter2 is missing"), "a form that ebb cannot read"],
  [new Error("clusters[0].hunter2\n is missing"), "a form that ebb cannot read"],
  [new SyntaxError('Unexpected token h, "hunter2"'), "a form that ebb cannot read"],
  [new Error("hunter2 users[12].name is missing"), "a form that ebb cannot read"],
  [new Error("users[12].name is missing hunter2"), "a form that ebb cannot read"],
  [Object.assign(new Error("x"), { code: "ENOENT hunter2" }), "a form that ebb cannot read"],
  [Object.assign(new Error("x"), { code: "hunter2 ENOENT" }), "a form that ebb cannot read"],
  [Object.assign(new Error("x"), { code: 5 }), "a form that ebb cannot read"],
  ["hunter2", "a form that ebb cannot read"],
])("of %p only what is safe is shown", (error, text) => {
  expect(kubeconfigProblem(error)).toBe(text);
});

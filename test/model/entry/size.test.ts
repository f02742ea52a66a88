import { validateCluster, validateSource } from "../../../lib/model/entry/validate-entry";

const long = "x".repeat(200 * 1024);

test.each([
  ["a source", validateSource({ kind: "sqs", parameters: { queue: long } }), "spec.parameters.queue"],
  [
    "a cluster",
    validateCluster({ endpoint: "https://a.example", auth: { type: "token", secret: long } }),
    "spec.auth.secret",
  ],
])("%s above the limit of a document is refused by the part that is too long", (_name, problems, path) => {
  expect(problems).toEqual([
    {
      path,
      message: expect.stringMatching(
        /^expected a document of at most 131072 bytes, got \d+, most of them here \(a limit of ebb\): make it shorter$/,
      ) as string,
    },
  ]);
});

test("of a document that nests, the first eight levels are named", () => {
  const parameters = Array.from({ length: 30 }).reduce((inner: unknown) => ({ a: inner }), long);
  const [problem] = validateSource({ kind: "sqs", parameters });
  expect(problem?.path).toBe("spec.parameters.a.a.a.a.a.a");
});

test("a long list within the limit is a document like any other", () => {
  expect(validateSource({ kind: "sqs", parameters: { queue: "x".repeat(100 * 1024) } })).toEqual([]);
});

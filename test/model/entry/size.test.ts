import { validateCluster, validateSource } from "../../../lib/model/entry/validate-entry";

const long = "x".repeat(200 * 1024);

test.each([
  ["a source", validateSource({ kind: "sqs", parameters: { queue: long } }), "spec.parameters.queue", 16_384],
  [
    "a cluster",
    validateCluster({ endpoint: "https://a.example", auth: { type: "token", secret: long } }),
    ...(["spec.auth.secret", 131_072] as const),
  ],
])("%s above the limit of a document is refused by the part that is too long", (_name, problems, path, most) => {
  expect(problems).toEqual([
    {
      path,
      message: expect.stringMatching(
        new RegExp(
          `^expected a document of at most ${most} bytes, got \\d+, most of them here \\(a limit of ebb\\): make it shorter$`,
        ),
      ) as string,
    },
  ]);
});

test("of a document that nests, the first eight levels are named", () => {
  const parameters = Array.from({ length: 30 }).reduce((inner: unknown) => ({ a: inner }), long);
  const [problem] = validateSource({ kind: "sqs", parameters });
  expect(problem?.path).toBe("spec.parameters.a.a.a.a.a.a");
});

test("a long text within the limit is a parameter like any other", () => {
  expect(validateSource({ kind: "sqs", parameters: { queue: "x".repeat(16_300) } })).toEqual([]);
});

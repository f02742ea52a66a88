import { problemText } from "../../../lib/model/check/problem";
import { validateSource } from "../../../lib/model/entry/validate-entry";

describe("a metric source's spec", () => {
  test.each<[string, unknown, readonly string[]]>([
    ["that is usable", { kind: "sqs", parameters: { queue: "orders" } }, []],
    ["without parameters", { kind: "sqs" }, []],
    ["of a kind that another version reads", { kind: "kafka", parameters: { topic: "a", lag: { max: 3 } } }, []],
    ["that is missing", undefined, ["spec: expected a map, got nothing"]],
    ["that is a list", [], ["spec: expected a map, got []"]],
    ["that is binary", new Uint8Array([1]), ["spec: expected a map, got binary"]],
    ["without a kind", {}, ["spec.kind: expected text that is not empty, got nothing"]],
    ["with an empty kind", { kind: " " }, ['spec.kind: expected text that is not empty, got " "']],
    ["with parameters as text", { kind: "sqs", parameters: "{}" }, ['spec.parameters: expected a map, got "{}"']],
    [
      "with binary deep inside",
      { kind: "x", parameters: { a: [{ "b.c": new Uint8Array([1]) }] } },
      ['spec.parameters.a[0]["b.c"]: expected text, a number, a flag, a list or a map, got binary'],
    ],
    [
      "with a misspelt field and a missing one: the misspelt one first",
      { kinds: "sqs" },
      [
        "spec.kinds: unknown field (did you mean kind?), expected one of kind, parameters, activation, confirm, confirmWake, fallback, maxReplicas",
        "spec.kind: expected text that is not empty, got nothing",
      ],
    ],
  ])("%s", (_name, spec, problems) => {
    expect(validateSource(spec).map(problemText)).toEqual(problems);
  });
});

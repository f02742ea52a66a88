import { fromMetricsApi } from "../../lib/sources/http/describe";
import { type KedaTrigger, numeric, onlySet, timeoutOf } from "../../lib/sources/keda";

test.each<[string | undefined, number | string | undefined]>([
  ["0", 0],
  ["123456789012345", 123_456_789_012_345],
  ["1234567890123456", "1234567890123456"],
  ["x5", "x5"],
  ["5x", "5x"],
  ["-5", "-5"],
  ["", ""],
  [undefined, undefined],
])("a whole number in text is a number: %j", (text, expected) => {
  expect(numeric(text)).toBe(expected);
});

test("what is not set is left out", () => {
  expect(onlySet({ a: undefined, b: null, c: "", d: 0 })).toStrictEqual({ b: null, c: "", d: 0 });
});

test.each<[string | undefined, number | undefined, string]>([
  [undefined, undefined, ""],
  ["3000", 3, ""],
  ["999999999", 7, "was 999999999: timeoutSeconds is 7, of whole seconds from 1 to 7"],
  ["5s", 5, ""],
  ["1.25s", 2, "was 1.25s: timeoutSeconds is 2, of whole seconds from 1 to 7"],
  ["0.001h", 4, "was 0.001h: timeoutSeconds is 4, of whole seconds from 1 to 7"],
  ["1s1000ms", 2, ""],
  ["x5", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got x5"],
  ["5x", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got 5x"],
  ["5s x", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got 5s x"],
  ["1234567890", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got 1234567890"],
  ["", undefined, "is not carried over: expected milliseconds or a duration such as 5s, got "],
])("a timeout of %j is %j seconds", (text, seconds, expected) => {
  const notes: string[] = [];
  const trigger = { text: () => text, note: (name: string, note: string) => void notes.push(`${name} ${note}`) };
  expect(timeoutOf(trigger as unknown as KedaTrigger)).toBe(seconds);
  expect(notes).toEqual(expected === "" ? [] : [`timeout ${expected}`]);
});

/** A trigger that holds these settings, and the notes on it. */
function triggerOf(settings: Readonly<Record<string, string>>) {
  const notes: string[] = [];
  const note = (name: string, text: string) => void notes.push(`${name} ${text}`);
  const trigger: KedaTrigger = {
    namespace: "shop",
    text: (name) => settings[name],
    given: (name) => settings[name],
    required: (name) => (settings[name] === undefined ? (note(name, "is missing"), undefined) : settings[name]),
    flag: (name, fallback) => (settings[name] === undefined ? fallback : settings[name] === "true"),
    activation: () => undefined,
    note,
    lost: (name, text) => settings[name] !== undefined && (note(name, text), true),
    secret: () => false,
  };
  return { notes, trigger };
}

test.each<[string, string, readonly string[]]>([
  ["a", '$["a"]', []],
  ["components.worker.tasks.0", '$["components"]["worker"]["tasks"][0]', []],
  ["tasks.12", '$["tasks"][12]', []],
  ["x1.2y.a-b", '$["x1"]["2y"]["a-b"]', []],
  ["tasks.#", '$["tasks"]["#"]', ["valueLocation is a gjson path: check the JSONPath that it became"]],
  ["#.tasks", '$["#"]["tasks"]', ["valueLocation is a gjson path: check the JSONPath that it became"]],
  ["", '$[""]', []],
])("metrics-api finds %s at %s", (valueLocation, path, expected) => {
  const { notes, trigger } = triggerOf({ url: "https://a.example", valueLocation });
  expect(fromMetricsApi(trigger)).toEqual({ parameters: { url: "https://a.example", path }, target: "1" });
  expect(notes).toEqual(expected);
});

test.each<[Readonly<Record<string, string>>, object, readonly string[]]>([
  [{ format: "prometheus" }, { parameters: { url: "u", metric: "m" } }, []],
  [{ format: "xml" }, { kind: "metrics-api" }, ["format has no equal for xml: ebb reads json and prometheus"]],
  [
    { aggregateFromKubeServiceEndpoints: "true" },
    { kind: "metrics-api" },
    [
      "aggregateFromKubeServiceEndpoints has no equal: ebb would read one pod of the service. Read a Prometheus that scrapes all of them",
    ],
  ],
  [{ method: "query" }, {}, ["method has no equal for query: ebb sends a credential as one of the secret's headers"]],
  [{ method: "header" }, {}, ["method is header: ebb sends it as one of the secret's headers"]],
  [{ targetValue: "7" }, { target: "7" }, []],
])("metrics-api with %j", (more, expected, notesOfIt) => {
  const { notes, trigger } = triggerOf({ url: "u", valueLocation: "m", ...more });
  const read = fromMetricsApi(trigger);
  expect(read).toMatchObject(expected);
  if (!("kind" in expected)) expect(read).not.toHaveProperty("kind");
  expect(notes).toEqual(notesOfIt);
});

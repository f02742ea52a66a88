import { declaredNames, privateWordIn, readTerms, wordsOf } from "./names";

test("a name's words, in each spelling", () => {
  expect(wordsOf("openEndpointLimiter")).toEqual(["open", "endpoint", "limiter"]);
  expect(wordsOf("endpoint-limiter")).toEqual(["endpoint", "limiter"]);
  expect(wordsOf("MAX_INT32")).toEqual(["max", "int32"]);
  expect(wordsOf("readHTTPBody")).toEqual(["read", "http", "body"]);
});

test.each([
  ["openLane", "lane"],
  ["FarEnds", "far end"],
  ["openFarEnd", "far end"],
  ["planet", undefined],
  ["farEnding", undefined],
  ["laneOf", "lane"],
])("%s contains %s", (name, word) => {
  expect(privateWordIn(wordsOf(name), ["lane", "far end"])).toBe(word);
});

test("exports are found, whatever they are", () => {
  const code = `export const a = 1;\nexport async function b() {}\nexport function* c() {}\nexport type D = 1;
export interface E {}\nconst f = 1;\nexport abstract class G {}\nexport { h } from "./h";\nexport function b(): void;`;
  expect(declaredNames(code)).toEqual(["a", "b", "c", "D", "E", "G"]);
});

test("a row of the glossary", () => {
  const page = `- **sync run** [runs]: One execution. Not: turn, far end.\n- **slot** [slots]: A time.`;
  expect(readTerms(page)).toEqual([
    { term: "sync run", meaning: "One execution.", source: "runs", not: ["turn", "far end"] },
    { term: "slot", meaning: "A time.", source: "slots", not: [] },
  ]);
});

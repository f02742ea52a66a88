import { jsonPathOf } from "../../../lib/sources/http/gjson-path";
import { numbersAt, parseJsonPath } from "../../../lib/sources/http/json-path";

const document = JSON.parse(
  '{"a": 1, "a.b": 2, "tasks": [{"name": "a", "count": 3, "x.y": 4, "deep": {"k": 5}, "on": true}, {"name": "b", "count": 6, "n": 7}], "0": 8, "obj": {"0": 9, "12": 10, "01": 11}, "l": [12, 13, 14], "s p": 15, "q\\"uo": 16, "x#y": 17, "a-b": {"c:d": 18}, "*": 19, "back\\\\slash": 20, "q": "5", "m": "500m", "e": [], "ü": 21, "": 22, "n": [[1, 2], [3, 4]], "@at": 23, "p|q": 24, ":5": 25, "5": 26}',
) as unknown;

const found = (path: string) => numbersAt(parseJsonPath(path), document).map(({ value }) => value);

/** What gjson 1.19 finds in the document; null: nothing. */
test.each<[string, string | null]>([
  ["a", "1"],
  ["a\\.b", "2"],
  ["a.b", null],
  ["tasks.0.count", "3"],
  ["tasks.1.count", "6"],
  ['tasks.#(name=="a").count', "3"],
  ['tasks.#(name=="b").count', "6"],
  ['tasks.#(name=="c").count', null],
  ["tasks.#(count>3).count", "6"],
  ["tasks.#(count<6).count", "3"],
  ["tasks.#(on==true).count", "3"],
  ["tasks.#(deep.k==5).count", "3"],
  ["tasks.#(x\\.y==4).count", "3"],
  ["0", "8"],
  ["obj.0", "9"],
  ["obj.12", "10"],
  ["obj.01", "11"],
  ["l.0", "12"],
  ["l.2", "14"],
  ["l.3", null],
  ["l.01", "13"],
  ["s p", "15"],
  ['q\\"uo', "16"],
  ['q"uo', "16"],
  ["x\\#y", "17"],
  ["x#y", "17"],
  ["a-b.c:d", "18"],
  ["\\*", "19"],
  ["back\\\\slash", "20"],
  ["q", "5"],
  ["m", "500m"],
  ["e.0", null],
  ["ü", "21"],
  ["n.0.1", "2"],
  ["n.1.0", "3"],
  ["\\@at", "23"],
  ["p\\|q", "24"],
  ["obj.:12", null],
  [":5", "25"],
  ["5", "26"],
  ["l.#(==13)", "13"],
  ['tasks.#( name == "b" ).count', "6"],
  ['tasks.#(name=="a)").count', null],
  ['tasks.#(name=="a").deep.k', "5"],
  ["tasks.-1", null],
  ["tasks.00.count", "3"],
  ["tasks.0.deep.k", "5"],
  ["a.", null],
  [".a", null],
  ["", "22"],
])("%j finds %j", (location, expected) => {
  const converted = jsonPathOf(location);
  expect("path" in converted ? found(converted.path) : converted).toEqual(expected === null ? [] : [expected]);
});

/** gjson finds numbers at some of these. */
test.each([
  "tasks.#",
  "tasks.#.count",
  "#.a",
  'tasks.#(name=="a")#.count',
  'tasks.#(name%"a*").count',
  'tasks.#(name!="a").count',
  "tasks.#(n).count",
  "*",
  "e.#",
  "@at",
  "@this.a",
  "p|q",
  "a|@this",
  "{a}",
  "[a]",
  'tasks.#(name=="a").#(on==true)',
])("%j has no JSONPath", (location) => {
  expect(jsonPathOf(location)).toMatchObject({ problem: expect.stringContaining("has no equal") as string });
});

test("of several matches, gjson takes the first, which is said", () => {
  expect(jsonPathOf("l.#(>12)")).toEqual({ path: '$["l"][?@>12]', onlyFirst: true });
  expect(found('$["l"][?@>12]')).toEqual(["13", "14"]);
});

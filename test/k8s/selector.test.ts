import fc from "fast-check";
import {
  formatGoLabelSelector,
  formatSelector,
  matches,
  parseSelector,
  SelectorError,
  selectorFrom,
  selectsEverything,
} from "../../lib/k8s/selector";

const labels = { app: "web", tier: "back", load: "7", empty: "" };

test.each<[string, string, boolean]>([
  ["", "", true],
  ["app=web", "app=web", true],
  ["app==web", "app==web", true],
  ["app = api", "app=api", false],
  ["app!=api", "app!=api", true],
  ["none!=api", "none!=api", true],
  ["app", "app", true],
  ["!app", "!app", false],
  ["!none", "!none", true],
  ["app in (web, api)", "app in (api,web)", true],
  ["app notin (web,api)", "app notin (api,web)", false],
  ["none notin (web)", "none notin (web)", true],
  ["empty=", "empty=", true],
  ["empty in ()", "empty in ()", true],
  ["empty in (,a)", "empty in (,a)", true],
  ["empty in (a,,b)", "empty in (,a,b)", true],
  ["empty in (a,,)", "empty in (,a)", true],
  ["none in (,,,b)", "none in (,b)", false],
  ["tier=back,app=web", "app=web,tier=back", true],
  ["tier=back,app=api", "app=api,tier=back", false],
  ["load>5,load<9", "load>5,load<9", true],
  ["load>7", "load>7", false],
  ["app>5", "app>5", false],
  ["in in (in,notin)", "in in (in,notin)", false],
  ["constructor", "constructor", false],
])("%j is printed as %j and selects the pod: %s", (text, printed, selected) => {
  const selector = parseSelector(text);
  expect([formatSelector(selector), matches(selector, labels)]).toEqual([printed, selected]);
});

// Answers of labels.Parse, apimachinery 0.36.3.
test.each<[string, string]>([
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["a !b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
  ["a=b=c", "found '=', expected: ',' or 'end of string'"],
  ["a=b c", "found 'c', expected: ',' or 'end of string'"],
  ["a,", "found '', expected: identifier after ','"],
  ["==x", "found '==', expected: !, identifier, or 'end of string'"],
  ["!", "unable to parse requirement: found '', expected: identifier"],
  ["!a=b", "found '=', expected: ',' or 'end of string'"],
  ["a=!!", "unable to parse requirement: found '!', expected: identifier"],
  ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
  [
    "a>x",
    "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  [
    "a@b",
    "unable to parse requirement: <nil>: Invalid value: \"a@b\": name part must consist of alphanumeric characters, '-', '_' or '.', " +
      "and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', " +
      "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
  [
    "a=%",
    'unable to parse requirement: values[0][a]: Invalid value: "%": a valid label must be an empty string or consist of ' +
      "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  " +
      "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
])("%j is refused: %s", (text, message) => {
  expect(() => parseSelector(text)).toThrow(new SelectorError(message));
});

test("a structured selector matches and prints like its text", () => {
  const selector = selectorFrom({
    matchLabels: { tier: "back", app: "web" },
    matchExpressions: [
      { key: "load", operator: "In", values: ["9", "7"] },
      { key: "none", operator: "DoesNotExist" },
      { key: "empty", operator: "Exists" },
      { key: "app", operator: "NotIn", values: ["api"] },
    ],
  });
  expect(formatSelector(selector)).toBe("app=web,app notin (api),empty,load in (7,9),!none,tier=back");
  expect([matches(selector, labels), matches(selector, { ...labels, none: "x" })]).toEqual([true, false]);
});

test("an absent selector selects nothing, an empty one everything", () => {
  expect([matches(selectorFrom(undefined), labels), formatSelector(selectorFrom(undefined))]).toEqual([false, ""]);
  expect([matches(selectorFrom({}), undefined), selectsEverything(selectorFrom({}))]).toEqual([true, true]);
});

test.each<[string, () => unknown, string]>([
  [
    "an unknown operator",
    () => selectorFrom({ matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] }),
    '"Gt" is not a valid label selector operator',
  ],
  [
    "In without values",
    () => selectorFrom({ matchExpressions: [{ key: "a", operator: "In" }] }),
    "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
  ],
  [
    "Exists with values",
    () => selectorFrom({ matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] }),
    'values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
  ],
])("%s is refused", (_, read, message) => {
  expect(read).toThrow(new SelectorError(message));
});

test.each([
  ["absent", undefined, "nil"],
  ["empty", {}, "&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}"],
  [
    "labels, sorted",
    { matchLabels: { c: "d", a: "b" } },
    "&LabelSelector{MatchLabels:map[string]string{a: b,c: d,},MatchExpressions:[]LabelSelectorRequirement{},}",
  ],
  [
    "expressions",
    {
      matchLabels: { verb: "GET" },
      matchExpressions: [
        { key: "k", operator: "In", values: ["v1", "v2"] },
        { key: "l", operator: "Exists" },
      ],
    },
    "&LabelSelector{MatchLabels:map[string]string{verb: GET,},MatchExpressions:[]LabelSelectorRequirement{" +
      "LabelSelectorRequirement{Key:k,Operator:In,Values:[v1 v2],},LabelSelectorRequirement{Key:l,Operator:Exists,Values:[],},},}",
  ],
])("a selector (%s) as Go prints it", (_, selector, printed) => {
  expect(formatGoLabelSelector(selector)).toBe(printed);
});

test.each<[string, string]>([
  ["a\0,b", "a,b"],
  ["a=\0b", "a=b"],
  ["b,\0a", "a,b"],
  ["a \0,)", "a"],
  ["a\0\0,)", "a"],
])("a NUL ends the token before it, or the text: %j is %s", (text, printed) => {
  expect(formatSelector(parseSelector(text))).toBe(printed);
});

test("any text is a selector or a SelectorError, and a printed selector reads back as itself", () => {
  const word = fc.constantFrom(
    "a",
    "b.c/d",
    "in",
    "notin",
    " ",
    "=",
    "==",
    "!=",
    "!",
    "(",
    ")",
    ",",
    "<",
    ">",
    "5",
    "%",
    "\0",
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(word, { maxLength: 12 }).map((words) => words.join("")),
  );
  fc.assert(
    fc.property(text, (written) => {
      try {
        const printed = formatSelector(parseSelector(written));
        expect(formatSelector(parseSelector(printed))).toBe(printed);
      } catch (error) {
        expect(error).toBeInstanceOf(SelectorError);
      }
    }),
    { numRuns: 2000 },
  );
  expect(() => parseSelector(`${"a".repeat(200_000)}=!`)).toThrow(SelectorError);
});

import type { FleetRow } from "../../lib/read/page/fleet-row";
import { everything } from "../../web/place";
import { countRows, listed, queriesOf, selectRows } from "../../web/select-rows";

const row = (name: string, given: Partial<FleetRow> = {}): FleetRow => ({
  ...{ cluster: "prod", namespace: "shop", name, state: "steady", metrics: [], sources: [] },
  ...given,
});
const all = [
  row("web", { target: "Deployment/front", size: 3, since: 100 }),
  row("orders", { state: "failing", sources: ["sqs"], size: 1, since: 300 }),
  row("mail", { state: "held", namespace: "post", sources: ["sqs", "kafka"], size: 9, since: 200 }),
  row("mail", { state: "atZero", cluster: "test", size: 0 }),
].map(listed);
const names = (given: Partial<typeof everything>) =>
  selectRows(all, { ...everything, ...given }).map(({ row: { cluster, name } }) => `${cluster}/${name}`);

const byAttention = ["prod/orders", "prod/mail", "test/mail", "prod/web"];

test("what needs a person comes first", () => {
  expect(names({})).toEqual(byAttention);
  expect(names({ reversed: true })).toEqual(byAttention.toReversed());
});

test.each<[string, Partial<typeof everything>, readonly string[]]>([
  ["all words of a search, in any name", { search: " MAIL post" }, ["prod/mail"]],
  ["a target", { search: "front" }, ["prod/web"]],
  ["no match", { search: "mail front" }, []],
  ["states", { states: ["failing", "atZero"] }, ["prod/orders", "test/mail"]],
  ["a cluster", { cluster: "test" }, ["test/mail"]],
  ["a namespace", { namespace: "post" }, ["prod/mail"]],
  ["a source", { source: "sqs" }, ["prod/orders", "prod/mail"]],
  ["by size", { sort: "size" }, ["prod/mail", "prod/web", "prod/orders", "test/mail"]],
  ["by change", { sort: "since" }, ["prod/orders", "prod/mail", "prod/web", "test/mail"]],
  ["by name", { sort: "name" }, ["prod/mail", "test/mail", "prod/orders", "prod/web"]],
])("%s", (_, given, expected) => {
  expect(names(given)).toEqual(expected);
});

test("counts are of the other filters, so that each number is what a click shows", () => {
  const { byState, namespaces, sources } = countRows(all, { ...everything, source: "sqs", states: ["failing"] });
  expect(byState).toMatchObject({ failing: 1, held: 1, atZero: 0, steady: 0 });
  expect(namespaces).toEqual(["post", "shop"]);
  expect(sources).toEqual(["kafka", "sqs"]);
});

test("a source's queries: what most HPAs ask first, and of those that ask the same, the paused ones last", () => {
  const asks = (name: string, metrics: readonly string[], given: Partial<FleetRow> = {}) =>
    listed(row(name, { sources: ["sqs"], metrics: metrics.map((one) => ({ name: one, target: "5" })), ...given }));
  const queries = queriesOf(
    [
      asks("a", ["sqs(queue=a)", "sqsish", "cpu"]),
      asks("b", ["sqs(queue=b)"], { state: "paused" }),
      asks("c", ["sqs(queue=b)", "sqs(queue=b)"]),
      asks("d", ["sqs(queue=d)"], { cluster: "test" }),
      asks("e", ["sqs"], { sources: ["kafka"] }),
    ],
    { cluster: "prod", name: "sqs" },
  );
  expect(queries.map(({ metric, readers }) => [metric, ...readers.map(({ name }) => name)])).toEqual([
    ["sqs(queue=b)", "c", "b"],
    ["sqs(queue=a)", "a"],
  ]);
});

import type { FleetMessage, FleetRow } from "../../lib/read/page/fleet-row";
import { type Fleet, nothingYet, receive, type Received } from "../../web/receive";

const row = (name: string, given: Partial<FleetRow> = {}): FleetRow => ({
  ...{ cluster: "prod", namespace: "shop", name, state: "steady", metrics: [], sources: [] },
  ...given,
});
const fresh = (): Received => ({ fleet: { rows: new Map(), clusters: [] }, seen: new Set() });
const after = (...messages: readonly FleetMessage[]) => messages.reduce(receive, fresh());
const namesOf = ({ rows }: Fleet) => [...rows.values()].map((one) => `${one.row.name} ${one.row.state}`);

test("rows replace rows of their name, and go by it", () => {
  const { fleet } = after(
    { type: "rows", rows: [row("web"), row("mail")] },
    { type: "rows", rows: [row("web", { state: "failing" })] },
    { type: "gone", rows: [{ cluster: "prod", namespace: "shop", name: "mail" }] },
  );
  expect(namesOf(fleet)).toEqual(["web failing"]);
  expect(fleet.loadedAt).toBeUndefined();
});

test("after a stream begins again, what it no longer has goes only once all is read", () => {
  const before = after({ type: "rows", rows: [row("web"), row("mail")] }, { type: "loaded", at: 1 });
  const again = receive({ ...before, seen: new Set() }, { type: "rows", rows: [row("mail")] });
  expect(namesOf(again.fleet)).toEqual(["web steady", "mail steady"]);
  expect(namesOf(receive(again, { type: "loaded", at: 2 }).fleet)).toEqual(["mail steady"]);
});

test("a table that is gone leaves the rows, and says so until it answers", () => {
  const problem = { message: "no answer", since: 5 };
  const gone = after({ type: "rows", rows: [row("web")] }, { type: "table", problem });
  expect(gone.fleet).toMatchObject({ problem });
  expect(namesOf(gone.fleet)).toEqual(["web steady"]);
  expect(receive(gone, { type: "table" }).fleet).not.toHaveProperty("problem");
});

test("nothing is shared between readers", () => {
  after({ type: "rows", rows: [row("web")] });
  expect(nothingYet.fleet.rows.size).toBe(0);
});

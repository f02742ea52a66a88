import { Socket } from "node:net";
import { onThisMachine } from "../../../lib/net/address";
import { openMemory } from "../../../lib/net/memory";
import type { MetricSource, SourceReading } from "../../../lib/model/ports/sources";
import type { SourceNetwork } from "../../../lib/sources/network/network";
import { contextOf } from "../read-context";
import { noLimit } from "../../time/no-limit";

/** What may happen to a read of a metric, for a kind that connects to hosts which entries name. */
export const situations = {
  found: "reads what is there",
  missing: "says that there is no such thing",
  empty: "does not take an empty answer for 0",
  malformed: "does not take a malformed answer for a number",
  slow: "gives up on an answer that never ends",
  refused: "says that nothing listens there",
  authFailure: "says that the credential is not accepted",
  wrongCa: "refuses a server that another CA signed",
  wrongHost: "refuses a certificate for another name",
  huge: "refuses an answer of 10 MB",
  many: "handles several values where one is expected",
  hostile: "keeps a hostile value within its place",
  dropped: "says that the connection broke within the answer",
  rotated: "takes a renewed credential after a refusal",
} as const;

export type SituationName = keyof typeof situations;

export interface Case {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly expected: { readonly values: readonly string[] } | { readonly error: RegExp };
  /** Brings the backend into the situation. */
  readonly before?: () => void | Promise<void>;
  /** What the backend saw. */
  readonly after?: () => void | Promise<void>;
  /** The backend closes all its connections. Needed for `found`, if the kind has connections. */
  readonly hangUp?: () => void | Promise<void>;
}

/** A case, or why this kind has none. */
export type Cases = Readonly<Record<SituationName, (() => Case) | { readonly notApplicable: string }>>;

export interface Subject {
  readonly open: (network: SourceNetwork) => MetricSource;
  readonly cases: Cases;
  /** Default: it has connections of its own, and keeps them for the next run. */
  readonly connections?: "none";
  /** The JSON of secrets, by name. A case may change them. */
  readonly secrets?: ReadonlyMap<string, string>;
}

/** The clock of a test stands until the test moves it. A busy machine would let a kept connection rest too long. */
const startedAt = Date.now();

/** A network of this machine, with these secrets. */
export function networkWith(secrets: ReadonlyMap<string, string> = new Map()): SourceNetwork {
  return {
    secrets: (name) => {
      const text = secrets.get(name);
      return text === undefined ? Promise.reject(new Error(`no secret ${name} in this test`)) : Promise.resolve(text);
    },
    addresses: onThisMachine,
    memory: openMemory(256 * 2 ** 20),
    awsCredentials: () => Promise.reject(new Error("no AWS credentials in this test")),
    now: () => startedAt,
  };
}

/** Every kind of source that connects to hosts passes this. */
export function sourceContract({ open, cases, secrets = new Map(), connections }: Subject): void {
  const read = (source: MetricSource, parameters: Case["parameters"], signal = noLimit()) =>
    source.open(contextOf({ signal })).read({ metricName: "jobs", parameters });

  for (const [name, what] of Object.entries(situations)) {
    const given = cases[name as SituationName];
    if ("notApplicable" in given) continue;
    test(what, async () => {
      const { parameters, expected, before, after } = given();
      await before?.();
      const reading = await read(open(networkWith(secrets)), parameters);
      expectReading(reading, expected);
      for (const text of secrets.values()) expectNoSecret(JSON.stringify(reading), text);
      await after?.();
    });
  }

  test("leaves out no situation without a reason", () => {
    for (const given of Object.values(cases)) if ("notApplicable" in given) expect(given.notApplicable).not.toBe("");
  });

  test("is asked in every slot", () => {
    expect(open(networkWith()).keepMs({ metricName: "jobs", parameters: {} })).toBe(0);
  });

  /** Reads what is there over one source, as often as is asked. */
  async function reader() {
    const found = cases.found;
    if ("notApplicable" in found) throw new Error("every kind can find something");
    const { parameters, expected, before, hangUp } = found();
    await before?.();
    let laterMs = 0;
    const source = open({ ...networkWith(secrets), now: () => startedAt + laterMs });
    return {
      hangUp,
      again: async () => expectReading(await read(source, parameters), expected),
      later: (ms: number) => (laterMs = ms),
    };
  }

  test("reads again over the same connections, in the next run", async () => {
    const { again } = await reader();
    expect((await connectionsOf(again)) === 0).toBe(connections === "none");
    expect(await connectionsOf(again)).toBe(0);
  });

  test("reads again over new connections if the backend has closed the kept ones", async () => {
    const { again, hangUp } = await reader();
    if (connections === "none") return expect(hangUp).toBeUndefined();
    if (hangUp === undefined) throw new Error("the case `found` does not say how the far end hangs up");
    await again();
    await hangUp();
    expect(await connectionsOf(again)).toBeGreaterThan(0);
  });

  test.each([
    ["moments", 0],
    ["20 minutes", 20 * 60_000],
  ])("reads again after the process was frozen for %s and the backend forgot its connections", async (_what, ms) => {
    const { again, hangUp, later } = await reader();
    const reads = () => Promise.all(Array.from({ length: 8 }, again));
    await reads();
    later(ms);
    // A double hangs up at once. Without a turn of the event loop, the ends of the connections arrive together with the
    // requests. A real server is restarted for it.
    const restarting = hangUp?.();
    if (restarting !== undefined) await restarting;
    await reads();
  });

  test("ends at the run's deadline, and never rejects", async () => {
    const slow = cases.slow;
    if ("notApplicable" in slow) return;
    const { parameters, before } = slow();
    await before?.();
    const context = new AbortController();
    const reading = read(open(networkWith(secrets)), parameters, context.signal);
    setTimeout(() => context.abort(new Error("the slot's time is up")), 100);
    expectReading(await reading, { error: /time is up|no answer|no connection/ });
  });

  test("another cluster's secret is not read", async () => {
    const refused = cases.authFailure;
    if ("notApplicable" in refused) return;
    const { parameters, before } = refused();
    await before?.();
    const reading = await read(open(networkWith(secrets)), { ...parameters, secret: "ebb/other/token" });
    expectReading(reading, { error: /a cluster uses only secrets named for it/ });
  });
}

/** How many sockets this process opens meanwhile. */
async function connectionsOf(work: () => Promise<void>): Promise<number> {
  const connect = jest.spyOn(Socket.prototype, "connect");
  try {
    await work();
    return connect.mock.calls.length;
  } finally {
    connect.mockRestore();
  }
}

function expectReading(reading: SourceReading, expected: Case["expected"]): void {
  if ("error" in expected) {
    expect(reading).toEqual({
      error: expect.stringMatching(expected.error) as string,
      from: expect.stringMatching(/^[a-z]+$/) as string,
    });
    return;
  }
  expect("items" in reading ? reading.items.map(({ value }) => value) : reading).toEqual(expected.values);
}

/** The members of a secret that no output may repeat. */
function expectNoSecret(output: string, secret: string): void {
  const { token, password, key } = JSON.parse(secret) as Readonly<Record<string, string | undefined>>;
  for (const text of [token, password, key]) if (text !== undefined) expect(output).not.toContain(text);
}

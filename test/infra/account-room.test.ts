/** What GetAccountSettings and GetFunctionConcurrency say. */
interface Account {
  readonly allowed: number;
  readonly unreserved: number;
  readonly reservedBefore: number;
}
interface Use extends Account {
  readonly reserved: number;
  readonly syncRuns: number;
  readonly isProvisioned: boolean;
  readonly hasNotify?: boolean;
  readonly metrics?: { readonly reserved: number };
  readonly region: string;
}
type RoomFor = (use: Use) => { readonly refuse?: string; readonly warn?: string };
type Hooks = Readonly<Record<string, () => unknown>>;
type Read = (serverless: unknown, functionNames: readonly string[]) => Promise<Account>;

const roomFor = jest.requireActual<RoomFor>("../../infra/checks/account-room.cjs");
const CheckStack =
  jest.requireActual<new (...args: readonly unknown[]) => { readonly hooks: Hooks }>("../../infra/check-stack.cjs");

describe("the account's concurrent executions", () => {
  const use = (given: Partial<Use>): Use => ({
    ...{ allowed: 1_000, unreserved: 1_000, reservedBefore: 0, reserved: 0 },
    ...{ syncRuns: 10, isProvisioned: false, region: "eu-central-1" },
    ...given,
  });
  const small = (executions: number) => ({ allowed: executions, unreserved: executions });

  test.each([
    ["the default account", {}],
    ["exactly enough", small(13)],
    ["a reservation that leaves 100", { allowed: 102, unreserved: 102, reserved: 2 }],
    [
      "the reservation of the last deployment counts once",
      { allowed: 102, unreserved: 100, reservedBefore: 2, reserved: 2 },
    ],
    ["tick's own are not needed of the others", { allowed: 1_000, unreserved: 113, reserved: 1, syncRuns: 110 }],
  ])("enough: %s", (_name, given) => expect(roomFor(use(given))).toEqual({}));

  test.each([
    ["a new account", small(10), "ebb uses up to 13", '--param="syncConcurrency=7"'],
    [
      "a new account, with notifications",
      { ...small(10), hasNotify: true },
      "ebb uses up to 14",
      '--param="syncConcurrency=6"',
    ],
    [
      "a new account, with metrics that share its executions",
      { ...small(10), metrics: { reserved: 0 } },
      "ebb uses up to 14",
      '--param="syncConcurrency=6"',
    ],
    [
      "another one, with stage prod",
      { ...small(50), syncRuns: 50 },
      "ebb uses up to 53",
      '--param="syncConcurrency=47"',
    ],
    [
      "other functions have reserved most",
      { unreserved: 12 },
      "and 12 are not reserved",
      '--param="syncConcurrency=9"',
    ],
    [
      "pollers",
      { ...small(50), syncRuns: 100, isProvisioned: true },
      "ebb uses up to 103",
      '--param="syncPollers=2,4"',
    ],
  ])("too few: %s", (_name, given, uses, meanwhile) => {
    const { refuse, warn } = roomFor(use(given));
    expect([refuse, warn]).toEqual([undefined, expect.stringContaining(uses)]);
    expect(warn).toContain(`Until it has, deploy with ${meanwhile}.`);
    expect(warn).toContain("--region eu-central-1 --service-code lambda --quota-code L-B99A9384");
  });

  test.each([
    ["four executions: sync needs two, and the others three", small(4)],
    ["pollers, of which two are the least", { ...small(20), syncRuns: 20, isProvisioned: true }],
  ])("no param helps: %s", (_name, given) => {
    expect(roomFor(use(given)).warn).toMatch(/slots are late or lost\. Ask AWS for more/);
  });

  test.each([
    [
      "a new account has none to reserve",
      { ...small(10), reserved: 1 },
      "only if 10 stay without one: expected at most 0, got 1",
    ],
    ["100 stay", { ...small(101), reserved: 2 }, "only if 100 stay without one: expected at most 1, got 2"],
    ["metrics have reserved too", { ...small(103), reserved: 2, metrics: { reserved: 2 } }, "at most 3, got 4"],
    ["others have reserved", { unreserved: 100, reserved: 1 }, "expected at most 0, got 1"],
  ])("a reservation is refused: %s", (_name, given, why) => expect(roomFor(use(given)).refuse).toContain(why));

  test("a refusal names the params that reserve", () => {
    const given = use({ ...small(10), metrics: { reserved: 2 } });
    expect(roomFor(given).refuse).toContain("param metricsReservedConcurrency: this account allows 10");
    expect(roomFor({ ...given, reserved: 1 }).refuse).toContain(
      "tickReservedConcurrency and metricsReservedConcurrency:",
    );
    expect(roomFor(use({ metrics: { reserved: 2 } }))).toEqual({});
  });

  async function deploying(account: Account | Error, properties: object, mapping: object, more: object = {}) {
    const warned: string[] = [];
    const Resources = {
      TickLambdaFunction: { Properties: { FunctionName: "ebb-dev-tick", ...properties } },
      SyncEventSourceMappingSQSSlotQueue: { Properties: mapping },
      ...more,
    };
    const serverless = {
      classes: { Error },
      getProvider: () => ({ getRegion: () => "eu-central-1" }),
      service: { provider: { compiledCloudFormationTemplate: { Resources } } },
    };
    const read: Read = (_serverless, names) =>
      account instanceof Error ? Promise.reject(account) : names.join() === "ebb-dev-tick,ebb-dev-metrics" ? Promise.resolve(account) : Promise.reject(new Error(names.join())); // prettier-ignore
    const { hooks } = new CheckStack(
      serverless,
      {},
      { log: { warning: (text: string) => void warned.push(text) } },
      read,
    );
    await hooks["before:deploy:deploy"]?.();
    return warned;
  }
  const ten = { ...small(10), reservedBefore: 0 };

  test("what the template says is what is asked for", async () => {
    const limited = await deploying(ten, {}, { ScalingConfig: { MaximumConcurrency: 20 } });
    expect(limited).toEqual([expect.stringMatching(/^This account allows 10 .* ebb uses up to 23/)]);
    const pollers = { ScalingConfig: {}, ProvisionedPollerConfig: { MinimumPollers: 2, MaximumPollers: 3 } };
    expect(await deploying(ten, {}, pollers)).toEqual([expect.stringContaining("ebb uses up to 33")]);
    const reserved = deploying(ten, { ReservedConcurrentExecutions: 1 }, { ScalingConfig: { MaximumConcurrency: 2 } });
    await expect(reserved).rejects.toThrow("param tickReservedConcurrency: this account allows 10");
    const metrics = { MetricsLambdaFunction: { Properties: { ReservedConcurrentExecutions: 2 } } };
    const serving = deploying(ten, {}, { ScalingConfig: { MaximumConcurrency: 2 } }, metrics);
    await expect(serving).rejects.toThrow("param metricsReservedConcurrency: this account allows 10");
  });

  test("without the right to ask, the deployment goes on, and says what was not checked", async () => {
    const denied = Object.assign(new Error("not authorized to perform: lambda:GetAccountSettings"), {
      $metadata: { httpStatusCode: 403 },
    });
    const warned = await deploying(
      denied,
      { ReservedConcurrentExecutions: 1 },
      { ScalingConfig: { MaximumConcurrency: 2 } },
    );
    expect(warned).toEqual([`Not checked: the concurrent executions that this account allows (${denied.message})`]);
  });

  test("where nobody answers, the deployment itself says so", async () => {
    const unreachable = new Error("connect ECONNREFUSED 127.0.0.1:9");
    expect(await deploying(unreachable, {}, { ScalingConfig: { MaximumConcurrency: 2 } })).toEqual([]);
  });
});

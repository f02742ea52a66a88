import {
  type CloudWatchClient,
  CloudWatchServiceException,
  GetMetricDataCommand,
  type GetMetricDataInput,
  type MetricDataQuery,
  PutMetricDataCommand,
} from "@aws-sdk/client-cloudwatch";

export interface CloudWatchUnderTest {
  readonly client: CloudWatchClient;
  /** Waits until what was put can be read: at once for a fake, a minute or two for the real one. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What ebb relies on in CloudWatch, through the SDK. It holds for the fake, and for an account that may put metrics.
 */
export function cloudWatchContract(name: string, open: () => Promise<CloudWatchUnderTest>): void {
  describe(`CloudWatch contract: ${name}`, () => {
    const namespace = `ebb-contract-${process.pid}`;
    /** A whole hour, so that all periods are aligned; recent enough for every resolution. */
    const base = Math.floor(Date.now() / 60_000) * 60 - 1200;
    let service: CloudWatchUnderTest;

    beforeAll(async () => {
      service = await open();
      const datum = (seconds: number, value: number, extra: object = {}) => ({
        MetricName: "depth",
        Timestamp: new Date((base + seconds) * 1000),
        Value: value,
        StorageResolution: 1,
        ...extra,
      });
      const errors = { MetricName: "errors" };
      await service.client.send(
        new PutMetricDataCommand({
          Namespace: namespace,
          MetricData: [
            ...[datum(0, 1), datum(30, 3), datum(59, 8), datum(60, 10), datum(120, 20)],
            ...[datum(0, 2, errors), datum(60, 5, errors), datum(120, 0, errors)],
            datum(0, 99, { Dimensions: [{ Name: "Queue", Value: "orders" }], Unit: "Count" }),
            datum(7, 4, { MetricName: "coarse", StorageResolution: 60 }),
          ],
        }),
      );
      await service.settle();
    });
    afterAll(() => service.close());

    const metric = (Stat: string, extra: Partial<MetricDataQuery> = {}, MetricName = "depth"): MetricDataQuery => ({
      Id: "m",
      MetricStat: { Metric: { Namespace: namespace, MetricName }, Period: 60, Stat },
      ...extra,
    });
    const get = async (
      queries: MetricDataQuery[],
      window: Partial<GetMetricDataInput> & { from?: number; to?: number } = {},
    ) => {
      const { from = 0, to = 180, ...others } = window;
      return service.client.send(
        new GetMetricDataCommand({
          MetricDataQueries: queries,
          StartTime: new Date((base + from) * 1000),
          EndTime: new Date((base + to) * 1000),
          ...others,
        }),
      );
    };
    const points = async (queries: MetricDataQuery[], window = {}): Promise<[number, number][]> => {
      const { MetricDataResults: [result] = [] } = await get(queries, window);
      return (result?.Timestamps ?? []).map((at, index) => [
        at.getTime() / 1000 - base,
        result?.Values?.[index] ?? NaN,
      ]);
    };
    const refusal = async (queries: MetricDataQuery[], window = {}): Promise<string> => {
      const error: unknown = await get(queries, window).catch((thrown: unknown) => thrown);
      return error instanceof CloudWatchServiceException ? `${error.name} ${error.$fault}` : "not refused";
    };

    test.each([
      ["Average", 4],
      ["Sum", 12],
      ["Minimum", 1],
      ["Maximum", 8],
      ["SampleCount", 3],
      ["p50", 3],
      ["p100", 8],
      ["tm100", 4],
    ])("%s of the samples 1, 3 and 8 of one period is %d", async (statistic, expected) => {
      expect(await points([metric(statistic)], { to: 60 })).toEqual([[0, expected]]);
    });

    test("the newest datapoint comes first, unless asked otherwise", async () => {
      expect(await points([metric("Sum")])).toEqual([
        [120, 20],
        [60, 10],
        [0, 12],
      ]);
      expect(await points([metric("Sum")], { ScanBy: "TimestampAscending" })).toEqual([
        [0, 12],
        [60, 10],
        [120, 20],
      ]);
    });

    test("the window is half-open: its start belongs to it, its end to the next one", async () => {
      expect(await points([metric("Sum")], { from: 60, to: 120 })).toEqual([[60, 10]]);
      expect(await points([metric("Sum")], { from: 120, to: 180 })).toEqual([[120, 20]]);
    });

    test("a metric without its dimensions, or without datapoints, is a Complete result with none", async () => {
      const { MetricDataResults: [result] = [] } = await get([metric("Sum", {}, "nothing")]);
      expect(result).toMatchObject({ Id: "m", Timestamps: [], Values: [], StatusCode: "Complete" });
      const orders = { Namespace: namespace, MetricName: "depth", Dimensions: [{ Name: "Queue", Value: "orders" }] };
      const stat = { Metric: orders, Period: 60, Stat: "Sum" };
      expect(await points([{ Id: "m", MetricStat: stat }])).toEqual([[0, 99]]);
      expect(await points([{ Id: "m", MetricStat: { ...stat, Unit: "Bytes" } }])).toEqual([]);
    });

    test("a period under a minute sees high-resolution metrics only", async () => {
      const stat = { Period: 10, Stat: "Sum" };
      const fine = { Id: "m", MetricStat: { Metric: { Namespace: namespace, MetricName: "depth" }, ...stat } };
      const coarse = { Id: "m", MetricStat: { Metric: { Namespace: namespace, MetricName: "coarse" }, ...stat } };
      expect(await points([fine], { to: 60 })).toEqual([
        [50, 8],
        [30, 3],
        [0, 1],
      ]);
      expect(await points([coarse], { to: 60 })).toEqual([]);
      expect(await points([metric("Sum", {}, "coarse")], { to: 60 })).toEqual([[0, 4]]);
    });

    test("metric math meets datapoints by their time, and hides what ReturnData leaves out", async () => {
      const hidden = { ReturnData: false };
      const queries = [metric("Sum", { Id: "d", ...hidden }), metric("Sum", { Id: "e", ...hidden }, "errors")];
      expect(await points([...queries, { Id: "x", Expression: "(d - e) / 2", Period: 60 }])).toEqual([
        [120, 10],
        [60, 2.5],
        [0, 5],
      ]);
      expect(await points([...queries, { Id: "x", Expression: "SUM([d, e])", Period: 60 }], { to: 60 })).toEqual([
        [0, 14],
      ]);
      expect(await points([...queries, { Id: "x", Expression: "IF(e > 4, d, 0)", Period: 60 }], { to: 120 })).toEqual([
        [60, 10],
        [0, 0],
      ]);
    });

    test("a division by zero drops the datapoint and leaves a message", async () => {
      const queries = [
        metric("Sum", { Id: "d", ReturnData: false }),
        metric("Sum", { Id: "e", ReturnData: false }, "errors"),
      ];
      const { MetricDataResults: [result] = [] } = await get([
        ...queries,
        { Id: "x", Expression: "d / e", Period: 60 },
      ]);
      expect(result?.Values).toEqual([2, 6]);
      expect(result?.Messages?.[0]?.Code).toBe("ArithmeticError");
    });

    test("an answer is paged by datapoints, and its pages are the whole", async () => {
      const queries = [metric("Sum"), metric("Sum", { Id: "e" }, "errors")];
      const seen: [string, number][] = [];
      let token: string | undefined;
      let pages = 0;
      do {
        const page = await get(queries, { MaxDatapoints: 2, ...(token !== undefined && { NextToken: token }) });
        for (const { Id = "", Values = [] } of page.MetricDataResults ?? [])
          Values.forEach((value) => seen.push([Id, value]));
        token = page.NextToken;
        pages += 1;
      } while (token !== undefined);
      expect(pages).toBe(3);
      expect(seen).toEqual([
        ["m", 20],
        ["m", 10],
        ["m", 12],
        ["e", 0],
        ["e", 5],
        ["e", 2],
      ]);
    });

    test.each<[string, MetricDataQuery[], object]>([
      ["more than 500 queries", Array.from({ length: 501 }, (_, index) => metric("Sum", { Id: `m${index}` })), {}],
      ["no query", [], {}],
      ["an id that starts with a capital", [metric("Sum", { Id: "M" })], {}],
      ["an id twice", [metric("Sum"), metric("Average")], {}],
      ["an unknown statistic", [metric("Median")], {}],
      ["a period of 45 s", [{ Id: "m", Expression: "1", Period: 45 }], {}],
      ["neither metric nor expression", [{ Id: "m" }], {}],
      ["nothing to return", [metric("Sum", { ReturnData: false })], {}],
      ["an expression with an unknown id", [metric("Sum"), { Id: "x", Expression: "m / n" }], {}],
      ["a malformed expression", [metric("Sum"), { Id: "x", Expression: "m +" }], {}],
      ["an end that is not after the start", [metric("Sum")], { from: 60, to: 60 }],
    ])("refuses %s as a fault of the client", async (_name, queries, window) => {
      expect(await refusal(queries, window)).toMatch(
        /^(Validation(Error|Exception)|InvalidParameter\w*|MissingParameter\w*) client$/,
      );
    });

    test("refuses an unknown token", async () => {
      expect(await refusal([metric("Sum")], { NextToken: "nonsense" })).toMatch(/^InvalidNextToken client$/);
    });
  });
}

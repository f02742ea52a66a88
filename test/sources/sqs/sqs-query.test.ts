import fc from "fast-check";
import { isFault } from "../../../lib/model/fault";
import { parseSqsQuery } from "../../../lib/sources/sqs/sqs-query";

const parse = (parameters: Record<string, unknown>) => parseSqsQuery({ metricName: "sqs", parameters });
const addressesOf = (parameters: Record<string, unknown>) => {
  const { queues } = parse(parameters);
  return "addresses" in queues ? queues.addresses : [];
};
const address =
  "expected a queue's name (1 to 80 letters, digits, - and _, perhaps with .fifo at its end), URL (https://host/123456789012/name) or ARN";
const url = "https://sqs.eu-west-1.amazonaws.com/123456789012/orders";

test.each<[string, Record<string, unknown>, object]>([
  ["a name", { queue: "orders" }, { name: "orders" }],
  ["a fifo name", { queue: "orders.fifo", region: "us-gov-west-1" }, { name: "orders.fifo", region: "us-gov-west-1" }],
  ["a name and its owner", { queue: "orders", account: "123456789012" }, { name: "orders", account: "123456789012" }],
  [
    "the same, in SQS's word",
    { queue: "orders", queueOwner: "123456789012" },
    { name: "orders", account: "123456789012" },
  ],
  [
    "an ARN",
    { queue: "arn:aws:sqs:eu-west-1:123456789012:orders" },
    { name: "orders", region: "eu-west-1", account: "123456789012" },
  ],
  [
    "a Chinese ARN",
    { queue: "arn:aws-cn:sqs:cn-north-1:123456789012:q" },
    { name: "q", region: "cn-north-1", account: "123456789012" },
  ],
  ["a name beside a null", { queue: "orders", region: null }, { name: "orders" }],
  ["a URL", { queue: url }, { name: "orders", region: "eu-west-1", account: "123456789012", url }],
  [
    "a URL and its region again",
    { queue: url, region: "eu-west-1" },
    { name: "orders", region: "eu-west-1", account: "123456789012", url },
  ],
])("understands %s", (_name, parameters, address) => {
  expect(parse(parameters).queues).toEqual({ addresses: [address] });
});

test.each([
  ["https://sqs-fips.us-east-2.amazonaws.com", "us-east-2"],
  ["https://sqs.us-east-2.api.aws", "us-east-2"],
  ["https://sqs.cn-north-1.amazonaws.com.cn", "cn-north-1"],
  ["https://vpce-0a1b-c2d3.sqs.us-west-2.vpce.amazonaws.com", "us-west-2"],
  ["https://us-west-1.queue.amazonaws.com", "us-west-1"],
  ["https://queue.amazonaws.com", "us-east-1"],
  ["http://localhost:9324", undefined],
])("a queue URL at %s is in region %s", (host, region) => {
  expect(addressesOf({ queue: `${host}/123456789012/orders` })[0]?.region).toBe(region);
});

test("understands several queues, each by name, URL or ARN", () => {
  const queues = `orders, ${url},arn:aws:sqs:us-east-1:123456789012:mail`;
  expect(parse({ queues })).toEqual({
    queues: {
      addresses: [
        { name: "orders" },
        { name: "orders", region: "eu-west-1", account: "123456789012", url },
        { name: "mail", region: "us-east-1", account: "123456789012" },
      ],
    },
    measure: "messages",
    includeInFlight: true,
    includeDelayed: false,
  });
  expect(addressesOf({ queues: "a,b", region: "eu-west-1", account: "123456789012" })).toEqual([
    { name: "a", region: "eu-west-1", account: "123456789012" },
    { name: "b", region: "eu-west-1", account: "123456789012" },
  ]);
});

test.each<[Record<string, unknown>, object]>([
  [{ queuePrefix: "orders-" }, { prefix: "orders-" }],
  [
    { queuePrefix: "o", region: "eu-west-1" },
    { prefix: "o", region: "eu-west-1" },
  ],
])("understands the prefix %j", (parameters, queues) => {
  expect(parse(parameters).queues).toEqual(queues);
});

test.each<[Record<string, unknown>, boolean, boolean]>([
  [{}, true, false],
  [{ includeInFlight: "false", includeDelayed: "true" }, false, true],
  [{ includeInFlight: false, includeDelayed: true }, false, true],
])("%j includes in flight: %s, delayed: %s", (parameters, includeInFlight, includeDelayed) => {
  expect(parse({ queue: "orders", ...parameters })).toMatchObject({ includeInFlight, includeDelayed });
});

test.each<[Record<string, unknown>, string]>([
  [{}, `parameter queue: ${address}, got nothing`],
  [{ queue: "" }, `parameter queue: ${address}, got ""`],
  [{ queue: 7 }, `parameter queue: ${address}, got 7`],
  ...["${QUEUE}", "<QUEUE>", "$(QUEUE)", "orders.fifo.x", "orders.FIFO", `${"q".repeat(76)}.fifo`, "aufträge"].map(
    (queue): [Record<string, unknown>, string] => [
      { queue },
      `parameter queue: ${address}, got "${queue.slice(0, 79)}`,
    ],
  ),
  ...["/123456789012/${QUEUE}", "/1/orders", "/123456789012/", "/${ACCOUNT}/orders", "/123456789012/a/b", ""].map(
    (path): [Record<string, unknown>, string] => [
      { queue: `https://sqs.eu-west-1.amazonaws.com${path}` },
      `parameter queue: ${address}`,
    ],
  ),
  [{ queue: "my queue" }, `parameter queue: ${address}, got "my queue"`],
  [{ queue: "q".repeat(81) }, `parameter queue: ${address}, got "${"q".repeat(79)}…`],
  [
    { queue: "arn:aws:sns:eu-west-1:123456789012:topic" },
    `parameter queue: ${address}, got "arn:aws:sns:eu-west-1:123456789012:topic"`,
  ],
  [{ queue: "https://example.com/" }, `parameter queue: ${address}, got "https://example.com/"`],
  [
    { queue: url, region: "us-east-1" },
    `parameter region: expected eu-west-1, as the queue's address says, got "us-east-1"`,
  ],
  [
    { queue: url, queueOwner: "210987654321" },
    `parameter queueOwner: expected 123456789012, as the queue's address says, got "210987654321"`,
  ],
  [
    { queue: "q", account: "123456789012", queueOwner: "123456789012" },
    `parameter queueOwner: expected account or queueOwner, not both, got "123456789012"`,
  ],
  [{ queue: "q", account: "1", queueOwner: "2" }, `parameter account: expected an account of 12 digits, got "1"`],
  [{ queue: "q", account: 123456789012 }, "parameter account: expected an account of 12 digits, got 123456789012"],
  [{ queue: "q", queues: "a,b" }, `parameter queues: expected queue or queues, and not both, got "a,b"`],
  [{ queue: "q", queuePrefix: "a" }, `parameter queuePrefix: expected queue or queuePrefix, and not both, got "a"`],
  [{ queues: "q", queuePrefix: "a" }, `parameter queuePrefix: expected queues or queuePrefix, and not both, got "a"`],
  [{ queues: "" }, `parameter queues: expected 1 to 100 names, URLs or ARNs of queues, with commas, got ""`],
  [{ queues: "a,,b" }, `parameter queues: expected 1 to 100 names, URLs or ARNs of queues, with commas, got "a,,b"`],
  [
    { queues: Array.from({ length: 101 }, (_, index) => `q${index}`).join() },
    "parameter queues: expected 1 to 100 names, URLs or ARNs of queues, with commas, got",
  ],
  [{ queues: ["a", "b"] }, "parameter queues: expected 1 to 100 names, URLs or ARNs of queues, with commas, got"],
  [{ queues: "a,b c" }, "parameter queues: expected 1 to 100 names, URLs or ARNs of queues, with commas, got"],
  [{ queues: "a,b/c" }, `parameter queues: ${address}, got "b/c"`],
  [{ queues: "a,arn:aws:sns:eu-west-1:1:t" }, `parameter queues: ${address}, got "arn:aws:sns:eu-west-1:1:t"`],
  [{ queues: "a,https://example.com/" }, `parameter queues: ${address}, got "https://example.com/"`],
  [{ queues: `a,${url}`, region: "us-east-1" }, "parameter region: expected eu-west-1, as the queue's address says"],
  [{ queuePrefix: "" }, `parameter queuePrefix: expected the beginning of queues' names`],
  [{ queuePrefix: "a*" }, `parameter queuePrefix: expected the beginning of queues' names`],
  [{ queuePrefix: "a".repeat(81) }, `parameter queuePrefix: expected the beginning of queues' names`],
  [
    { queuePrefix: "a", account: "123456789012" },
    `parameter account: expected no account beside queuePrefix: SQS lists only the function's own, got "123456789012"`,
  ],
  [{ queuePrefix: "a", queueOwner: "123456789012" }, "parameter queueOwner: expected no account beside queuePrefix"],
  [
    { queue: "q", region: "evil.example.com/" },
    `parameter region: expected an AWS region such as eu-west-1, got "evil.example.com/"`,
  ],
  [{ queue: "q", includeDelayed: "yes" }, `parameter includeDelayed: expected true or false, got "yes"`],
  [
    { queue: "q", queueName: "q" },
    `parameter queueName: unknown field, expected one of queue, queues, queuePrefix, region, account, queueOwner, measure, includeInFlight, includeDelayed`,
  ],
  [
    JSON.parse(`{"queue": "q", "__proto__": {"region": "eu-west-1"}}`) as Record<string, unknown>,
    `parameter __proto__: unknown field, expected one of queue, queues, queuePrefix, region, account, queueOwner, measure, includeInFlight, includeDelayed`,
  ],
])("refuses %j", (parameters, message) => {
  expect(() => parse(parameters)).toThrow(message);
});

test.each(["a".repeat(100_000), `${"a,".repeat(50_000)}!`, `${"a, ".repeat(90)}${" ".repeat(50_000)}!`])(
  "refuses a long list at once",
  (queues) => {
    expect(() => parse({ queues })).toThrow("parameter queues: expected");
  },
);

test("any parameters are either understood or refused as a bad entry", () => {
  fc.assert(
    fc.property(fc.anything(), fc.dictionary(fc.string(), fc.anything()), (queue, others) => {
      try {
        expect(addressesOf({ ...others, queue })[0]?.name).toMatch(/./);
      } catch (error) {
        expect(isFault(error, "badEntry")).toBe(true);
      }
    }),
  );
});

describe("an address", () => {
  const addressOf = (queue: string) => {
    const { queues } = parseSqsQuery({ metricName: "any", parameters: { queue } });
    return "addresses" in queues ? queues.addresses : queues;
  };
  const at = (host: string, path = "/123456789012/orders") => `https://${host}${path}`;
  const known = { name: "orders", account: "123456789012" };

  test.each<[string, string | undefined]>([
    ["sqs.eu-west-1.amazonaws.com", "eu-west-1"],
    ["sqs-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"],
    ["vpce-1.sqs.us-iso-east-12.vpce.amazonaws.com", "us-iso-east-12"],
    ["eu-west-1.queue.amazonaws.com", "eu-west-1"],
    ["us-gov-west-12.queue.amazonaws.com", "us-gov-west-12"],
    ["queue.amazonaws.com", "us-east-1"],
    ["x.eu-west-1.queue.amazonaws.com", undefined],
    ["notsqs.eu-west-1.amazonaws.com", undefined],
    ["localhost:4566", undefined],
  ])("at %s is in region %j", (host, region) => {
    const url = at(host);
    expect(addressOf(url)).toStrictEqual([{ ...known, url, ...(region !== undefined && { region }) }]);
  });

  test("may end with a slash, and begin with a path of its own", () => {
    expect(addressOf(at("localhost", "/queue/123456789012/orders.fifo/"))[0 as never]).toMatchObject({
      ...{ name: "orders.fifo", account: "123456789012" },
    });
  });

  test.each([
    at("sqs.eu-west-1.amazonaws.com", "/12345678901/orders"),
    at("sqs.eu-west-1.amazonaws.com", "/1234567890123/orders"),
    at("sqs.eu-west-1.amazonaws.com", "/orders"),
    at("sqs.eu-west-1.amazonaws.com", "/123456789012/or.ders"),
    at("sqs.eu-west-1.amazonaws.com", "/"),
    "https://",
    "arn:aws:sqs:eu-west-1:12345678901:orders",
    "arn:aws:sqs:eu-west-1:123456789012:or.ders",
    "arn:aws:sns:eu-west-1:123456789012:orders",
    "arn:aws:sqs:eu-west-1:123456789012:orders:more",
    "arn:arn:aws:sqs:eu-west-1:123456789012:orders",
    "xhttps://sqs.eu-west-1.amazonaws.com/123456789012/orders",
    "x/orders.fifo",
    "orders.fifo.x",
    "x".repeat(81),
    `${"x".repeat(76)}.fifo`,
    "see https://sqs.eu-west-1.amazonaws.com/123456789012/orders",
  ])("%s is none", (queue) => {
    expect(() => addressOf(queue)).toThrow(/^parameter queue: expected /);
  });
});

test("the owner is as the user gave it, and an age counts nothing", () => {
  const read = (parameters: object) =>
    parseSqsQuery({ metricName: "any", parameters: { queue: "orders", ...parameters } });
  expect(read({ account: "123456789012" }).owner).toBe("123456789012");
  expect(read({})).not.toHaveProperty("owner");
  for (const name of ["includeInFlight", "includeDelayed"]) {
    expect(read({ [name]: true })).toMatchObject({ [name]: true });
    expect(() => read({ measure: "age", [name]: false })).toThrow(
      `parameter ${name}: expected nothing beside the measure age`,
    );
  }
});

import { wireSync, wireTick, wireWake } from "../../functions/wiring";

const complete = { TABLE_NAME: "ebb-dev", QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/slots" };
const { AWS_REGION } = process.env;

beforeEach(() => {
  process.env["AWS_REGION"] = "eu-west-1";
});
afterEach(() => {
  if (AWS_REGION === undefined) delete process.env["AWS_REGION"];
  else process.env["AWS_REGION"] = AWS_REGION;
});

describe.each([
  ["tick", wireTick],
  ["sync", wireSync],
])("%s", (_name, wire) => {
  test("is wired from its environment, without calling anybody", () => {
    expect(Object.keys(wire(complete).ports)).toContain("store");
  });

  test.each([
    ["TABLE_NAME", undefined, "environment variable TABLE_NAME: expected the name of the DynamoDB table, got nothing"],
    ["QUEUE_URL", undefined, "environment variable QUEUE_URL: expected the URL of the slot queue, got nothing"],
    ["QUEUE_URL", "slots", "environment variable QUEUE_URL: expected the URL of the slot queue, got slots"],
    ["DECISION_TTL_DAYS", "soon", "environment variable DECISION_TTL_DAYS: expected a number of days, got soon"],
  ])("%s=%s is a clear error", (name, value, message) => {
    expect(() => wire({ ...complete, [name]: value })).toThrow(message);
  });
});

test("sync needs to know its memory as a number of MB, if the platform names it", () => {
  expect(() => wireSync({ ...complete, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512" })).not.toThrow();
  expect(() => wireSync({ ...complete, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "much" })).toThrow(
    "environment variable AWS_LAMBDA_FUNCTION_MEMORY_SIZE: expected the function's memory in MB, got much",
  );
});

describe("wake", () => {
  test("is wired without a table, which it never asks", () => {
    expect(Object.keys(wireWake({ QUEUE_URL: complete.QUEUE_URL }))).toEqual(["queue", "reporter", "now"]);
  });

  test("needs to know its queue", () => {
    expect(() => wireWake({})).toThrow(
      "environment variable QUEUE_URL: expected the URL of the slot queue, got nothing",
    );
  });
});

import { hostList, optionalCount, requireUrl, requireVariable } from "../../functions/environment";

test.each([
  ["missing", {}, "environment variable TABLE_NAME: expected the table's name, got nothing"],
  ["blank", { TABLE_NAME: " " }, "environment variable TABLE_NAME: expected the table's name, got nothing"],
])("a variable that is %s is named", (_name, env, message) => {
  expect(() => requireVariable(env, "TABLE_NAME", "the table's name")).toThrow(message);
});

test.each(["slots", "ftp://host/slots", "arn:aws:sqs:us-east-1:123456789012:slots"])(
  "%s is no URL of a queue",
  (value) => {
    expect(() => requireUrl({ QUEUE_URL: value }, "QUEUE_URL", "the queue's URL")).toThrow(
      `environment variable QUEUE_URL: expected the queue's URL, got ${value}`,
    );
  },
);

test.each(["https://sqs.eu-west-1.amazonaws.com/123456789012/slots", "http://localhost:4566/1/slots"])(
  "%s is",
  (value) => {
    expect(requireUrl({ QUEUE_URL: value }, "QUEUE_URL", "the queue's URL")).toBe(value);
  },
);

test.each([
  [undefined, undefined],
  ["", undefined],
  ["30", 30],
])("a number of days, %j", (value, expected) => {
  expect(optionalCount(value === undefined ? {} : { DAYS: value }, "DAYS", "a number of days")).toBe(expected);
});

test.each(["0", "-1", "1.5", "7d", "NaN", "1e3", "9999999999"])("not a number of days: %s", (value) => {
  expect(() => optionalCount({ DAYS: value }, "DAYS", "a number of days")).toThrow(
    `environment variable DAYS: expected a number of days, got ${value}`,
  );
});

test.each([
  [undefined, []],
  ["", []],
  [" , ", []],
  ["tunnel.example", ["tunnel.example"]],
  ["Tunnel.Example., 127.0.0.2,[::1],fd00::1", ["tunnel.example", "127.0.0.2", "::1", "fd00::1"]],
])("allowed hosts, %j", (value, expected) => {
  expect(hostList(value === undefined ? {} : { HOSTS: value }, "HOSTS")).toEqual(expected);
});

test.each(["https://host", "host:443", "host/path", "me@host", "*.example", "two hosts", "127.1"])(
  "no host to allow: %s",
  (value) => {
    expect(() => hostList({ HOSTS: `good.example,${value}` }, "HOSTS")).toThrow(
      `environment variable HOSTS: expected host names or addresses, got ${value}`,
    );
  },
);

import { AnswerTooLarge } from "../../lib/aws/http/answer-reader";
import { Fault, type FaultKind } from "../../lib/model/fault";
import { isAmbiguous, toFault } from "../../lib/table/faults";

const place = { action: "PutItem", table: "ebb", region: "eu-central-1" };
const named = (name: string, more: object = {}): Error => Object.assign(new Error("said so"), { name, ...more });

describe("what the table's service, the network and the credentials did", () => {
  test.each<[string, Error, FaultKind, string]>([
    [
      "throttling",
      named("ProvisionedThroughputExceededException", { $metadata: { httpStatusCode: 400 } }),
      "throttled",
      'table "ebb" in region eu-central-1: PutItem was throttled (ProvisionedThroughputExceededException: said so)',
    ],
    [
      "throttling without a word",
      Object.assign(new Error(), { name: "SlowDown" }),
      "throttled",
      "PutItem was throttled (SlowDown: no message)",
    ],
    ["throttling of the account", named("RequestLimitExceeded"), "throttled", "was throttled"],
    ["throttling of the API", named("ThrottlingException"), "throttled", "was throttled"],
    [
      "no such table",
      named("ResourceNotFoundException"),
      "notFound",
      'table "ebb" not found in region eu-central-1: check',
    ],
    ["no permission", named("AccessDeniedException"), "forbidden", "the credentials lack dynamodb:PutItem"],
    ["no credentials", named("CredentialsProviderError"), "unauthorized", "no usable credentials for dynamodb:PutItem"],
    ["expired credentials", named("ExpiredTokenException"), "unauthorized", "the credentials have expired, renew them"],
    ["a refused request", named("ValidationException"), "badEntry", "PutItem was answered with ValidationException"],
    ["no answer in time", named("TimeoutError"), "timeout", "PutItem got no answer in time"],
    ["given up", named("AbortError"), "timeout", "PutItem got no answer in time"],
    [
      "an answer without an end",
      new AnswerTooLarge("9 bytes"),
      "badAnswer",
      "PutItem was answered with AnswerTooLarge",
    ],
    ["nobody there", named("Error", { code: "ECONNREFUSED" }), "unreachable", "could not reach DynamoDB"],
    ["no such host", named("Error", { code: "ENOTFOUND" }), "unreachable", "could not reach DynamoDB"],
    ["a broken connection", named("Error", { code: "ECONNRESET" }), "unreachable", "could not reach DynamoDB"],
    ["a wrong certificate", named("Error", { code: "SELF_SIGNED_CERT_IN_CHAIN" }), "unreachable", "could not reach"],
    [
      "an error over there",
      named("InternalServerError", { $metadata: { httpStatusCode: 500 } }),
      "badAnswer",
      "PutItem was answered with InternalServerError: said so",
    ],
  ])("%s", (_name, error, kind, message) => {
    const fault = toFault(error, place);
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ kind, cause: error, message: expect.stringContaining(message) as string });
  });

  test("the status and the request are kept, if there was an answer", () => {
    const answered = named("InternalServerError", { $metadata: { httpStatusCode: 503, requestId: "r-1" } });
    expect(toFault(answered, place)).toMatchObject({ status: 503, requestId: "r-1" });
    expect(toFault(named("TimeoutError"), place)).toMatchObject({ status: undefined });
    const noJson = Object.assign(new SyntaxError("no JSON"), { $metadata: { httpStatusCode: 200 } });
    expect(toFault(noJson, place)).toMatchObject({ kind: "badAnswer", status: 200 });
  });

  test.each<[string, Error, boolean]>([
    ["no answer in time", named("TimeoutError"), true],
    ["an answer that is none", named("InternalServerError", { $metadata: { httpStatusCode: 500 } }), true],
    ["a connection that broke", named("Error", { code: "ECONNRESET" }), true],
    ["nobody there: nothing was sent", named("Error", { code: "ECONNREFUSED" }), false],
    ["a throttle", named("ThrottlingException"), false],
    ["no permission", named("AccessDeniedException"), false],
  ])("whether a write may have been applied: %s", (_name, error, expected) => {
    expect(isAmbiguous(toFault(error, place) as Fault)).toBe(expected);
  });

  test("a defect in ebb stays the error that it is", () => {
    const defect = new TypeError("x is not a function");
    expect(toFault(defect, place)).toBe(defect);
    expect(toFault("thrown text", place)).toBe("thrown text");
  });
});

import { Fault } from "../../lib/model/fault";
import { faultOf } from "../../lib/aws/fault";

const call = { action: "sqs:GetQueueAttributes", description: `queue "orders" in eu-west-1` };
const sdkError = (fields: object) => Object.assign(new Error("words of the service"), fields);

test.each<[object, string, boolean]>([
  [{ name: "QueueDoesNotExist", $fault: "client" }, "notFound", false],
  [{ name: "AWS.SimpleQueueService.NonExistentQueue", $fault: "client" }, "notFound", false],
  [{ name: "AccessDenied", $fault: "client" }, "forbidden", false],
  [{ name: "SomethingNew", $fault: "client", $metadata: { httpStatusCode: 403 } }, "forbidden", false],
  [{ name: "ExpiredToken", $fault: "client" }, "unauthorized", false],
  [{ name: "InvalidClientTokenId", $fault: "client" }, "unauthorized", false],
  [{ name: "CredentialsProviderError" }, "unauthorized", false],
  [{ name: "Throttling", $fault: "client", $metadata: { httpStatusCode: 400 } }, "throttled", true],
  [{ name: "SomethingNew", $fault: "client", $metadata: { httpStatusCode: 429 } }, "throttled", true],
  [{ name: "TimeoutError", code: "ETIMEDOUT" }, "timeout", true],
  [{ name: "Error", code: "ETIMEDOUT" }, "timeout", true],
  [{ name: "Error", code: "ENOTFOUND" }, "unreachable", true],
  [{ name: "Error", code: "ECONNRESET" }, "unreachable", true],
  [{ name: "ValidationError", $fault: "client", $metadata: { httpStatusCode: 400 } }, "badEntry", false],
  [{ name: "InternalFailure", $fault: "server", $metadata: { httpStatusCode: 500 } }, "badAnswer", true],
  [{ name: "SyntaxError", $metadata: { httpStatusCode: 200 } }, "badAnswer", true],
  [{ name: "Error", code: "CERT_HAS_EXPIRED" }, "unreachable", true],
])("%j is %s, retryable: %s", (fields, kind, retryable) => {
  const cause = sdkError(fields);
  expect(faultOf(cause, call)).toMatchObject({ kind, retryable, cause });
});

test.each([undefined, null, "text", 7, {}])("a thrown %p becomes a fault, too", (thrown) => {
  expect(faultOf(thrown, call)).toMatchObject({
    kind: "badAnswer",
    message: `queue "orders" in eu-west-1: expected an answer to sqs:GetQueueAttributes, got unknown error`,
  });
});

test("the kind never depends on the message text, and varying times and ids stay out of the message", () => {
  const lying = sdkError({ name: "InternalFailure", $fault: "server", $metadata: { httpStatusCode: 500 } });
  lying.message = "AccessDenied: Rate exceeded: The specified queue does not exist";
  expect(faultOf(lying, call).kind).toBe("badAnswer");
  const timeout = sdkError({ name: "TimeoutError", message: "exceeded the configured 3001 ms" });
  expect(faultOf(timeout, call).message).toBe(
    `queue "orders" in eu-west-1: no answer to sqs:GetQueueAttributes in time (TimeoutError)`,
  );
});

test("a fault stays the same fault", () => {
  const fault = new Fault("conflict", "as it was");
  expect(faultOf(fault, call)).toBe(fault);
});

/** With the JSON protocol's code, and the older code that the SDK also shows. */
export class SqsError extends Error {
  readonly type: string;
  readonly queryCode: string;
  readonly statusCode = 400;

  constructor(type: string, queryCode: string, message: string) {
    super(message);
    this.name = "SqsError";
    this.type = type;
    this.queryCode = queryCode;
  }
}

export function queueDoesNotExist(): SqsError {
  const message = "The specified queue does not exist.";
  return new SqsError("com.amazonaws.sqs#QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", message);
}

export function queueNameExists(attribute: string): SqsError {
  const message = `A queue already exists with the same name and a different value for attribute ${attribute}`;
  return new SqsError("com.amazonaws.sqs#QueueNameExists", "QueueAlreadyExists", message);
}

export function receiptHandleIsInvalid(handle: string): SqsError {
  const message = `The input receipt handle "${handle}" is not a valid receipt handle.`;
  return new SqsError("com.amazonaws.sqs#ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", message);
}

export function messageNotInflight(): SqsError {
  const message = "The message referred to isn't in flight.";
  return new SqsError("com.amazonaws.sqs#MessageNotInflight", "AWS.SimpleQueueService.MessageNotInflight", message);
}

export function invalidParameter(message: string): SqsError {
  return new SqsError("com.amazon.coral.service#InvalidParameterValueException", "InvalidParameterValue", message);
}

export function missingParameter(name: string): SqsError {
  const message = `The request must contain the parameter ${name}.`;
  return new SqsError("com.amazon.coral.service#MissingRequiredParameterException", "MissingParameter", message);
}

export function invalidAttributeName(name: string): SqsError {
  const message = `Unknown Attribute ${name}.`;
  return new SqsError("com.amazonaws.sqs#InvalidAttributeName", "InvalidAttributeName", message);
}

export function invalidBatch(kind: "Empty" | "TooMany" | "NotDistinct", count: number): SqsError {
  const texts = {
    Empty: ["EmptyBatchRequest", "There should be at least one SendMessageBatchRequestEntry in the request."],
    TooMany: ["TooManyEntriesInBatchRequest", `Maximum number of entries per request are 10. You have sent ${count}.`],
    NotDistinct: ["BatchEntryIdsNotDistinct", "Two or more batch entries in the request have the same Id."],
  } as const;
  const [name, message] = texts[kind];
  return new SqsError(`com.amazonaws.sqs#${name}`, `AWS.SimpleQueueService.${name}`, message);
}

export function batchTooLong(bytes: number): SqsError {
  const message = `Batch requests cannot be longer than 1048576 bytes. You have sent ${bytes} bytes.`;
  return new SqsError("com.amazonaws.sqs#BatchRequestTooLong", "AWS.SimpleQueueService.BatchRequestTooLong", message);
}

export function invalidAttributeValue(name: string): SqsError {
  const message = `Invalid value for the parameter ${name}.`;
  return new SqsError("com.amazonaws.sqs#InvalidAttributeValue", "InvalidAttributeValue", message);
}

export function receiptHandleHasExpired(handle: string): SqsError {
  return invalidParameter(
    `Value ${handle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.`,
  );
}

export function unknownOperation(target: string, known: readonly string[]): SqsError {
  const message = `the local SQS has no ${target.slice(0, 100)}; it has ${known.join(", ")}`;
  return new SqsError("com.amazon.coral.service#UnknownOperationException", "UnknownOperation", message);
}

export type ActionInput = Readonly<Record<string, unknown>>;

export function textParameter(input: ActionInput, name: string): string {
  const value = input[name];
  if (typeof value !== "string" || value === "") throw missingParameter(name);
  return value;
}

export function numberOf(input: ActionInput, name: string, range: readonly [number, number]): number | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  const number = typeof value === "number" || typeof value === "string" ? Number(value) : NaN;
  if (Number.isInteger(number) && number >= range[0] && number <= range[1]) return number;
  throw invalidParameter(
    `Value ${JSON.stringify(value)} for parameter ${name} is invalid. Reason: Must be >= ${range[0]} and <= ${range[1]}, if provided.`,
  );
}

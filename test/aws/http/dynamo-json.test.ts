import { dynamoJson } from "../../../lib/aws/http/dynamodb-commands";

/** As the SDK writes them: bytes as base64, wherever they are, and everything else as JSON. */
test.each<[string, object, string]>([
  ["no bytes", { Item: { a: { S: "x" } } }, '{"Item":{"a":{"S":"x"}}}'],
  ["bytes", { Item: { a: { B: new Uint8Array([1, 2]) } } }, '{"Item":{"a":{"B":"AQI="}}}'],
  ["a Buffer", { Item: { a: { B: Buffer.from([1, 2]) } } }, '{"Item":{"a":{"B":"AQI="}}}'],
  ["no byte at all", { Item: { a: { B: new Uint8Array() } } }, '{"Item":{"a":{"B":""}}}'],
  ["a set of bytes", { Item: { a: { BS: [new Uint8Array([1])] } } }, '{"Item":{"a":{"BS":["AQ=="]}}}'],
  ["bytes in a map that also has texts", { M: { B: { B: Buffer.from([1]) } } }, '{"M":{"B":{"B":"AQ=="}}}'],
  ["an attribute that is called B", { Item: { B: { S: "x" } } }, '{"Item":{"B":{"S":"x"}}}'],
  ["a text that looks like bytes", { S: '"B":{"type":"Buffer"' }, '{"S":"\\"B\\":{\\"type\\":\\"Buffer\\""}'],
])("%s", (_what, input, text) => {
  expect(dynamoJson.encode(input)).toBe(text);
});

import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { dynamoClient } from "../../../lib/table/client";

const credentials = { accessKeyId: "a", secretAccessKey: "b" };

test("the client has a limit for each wait, which ends the request", async () => {
  const client = dynamoClient({ endpoint: "http://127.0.0.1:1", region: "xx-1", credentials });
  await client.send(new ListTablesCommand({})).catch((error: unknown) => error);
  const handler = client.config.requestHandler as unknown as { httpHandlerConfigs(): object };
  const limits = { connectionTimeout: 1500, requestTimeout: 4000, throwOnRequestTimeout: true };
  expect(handler.httpHandlerConfigs()).toMatchObject(limits);
});

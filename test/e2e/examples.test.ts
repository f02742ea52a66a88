import { execFile, execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { CreateTableCommand, DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import type { Item } from "../../lib/table/items/attributes";
import { tableDefinition } from "../../lib/table/items/keys";
import { examplePath, exampleText, meaningsOf, putItems } from "../examples/examples";
import { startMinistack, type Emulator } from "./servers/emulator";
import { installed } from "./servers/installed";
import { openStack } from "./servers/stack";

/**
 * Entries as infrastructure tools write them: the same entries as those of the AWS CLI and of `ebb apply`
 * (test/examples).
 */
const run = promisify(execFile);
const expected = meaningsOf(putItems());

describe("CloudFormation", () => {
  const table = "ebb-examples";
  let ministack: Emulator;
  let dynamo: DynamoDBClient;

  beforeAll(async () => {
    // Lambda's Node has the SDK; here it is this repository's.
    ministack = await startMinistack({ NODE_PATH: resolve(__dirname, "../../node_modules") });
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    dynamo = new DynamoDBClient({ endpoint: ministack.endpoint, region: ministack.region, credentials });
    await dynamo.send(new CreateTableCommand(tableDefinition(table)));
  });

  afterAll(async () => {
    dynamo.destroy();
    await ministack.stop();
  });

  const stored = async (): Promise<readonly Item[]> =>
    (await dynamo.send(new ScanCommand({ TableName: table }))).Items ?? [];

  test.each(["cloudformation/entries.yaml", "wake/alarm.yaml"])(
    "cfn-lint has nothing to say about %s",
    async (file) => {
      await run(installed().cfnLint, [examplePath(file)]);
    },
  );

  test("creates, changes and deletes entries with their stack", async () => {
    const template = exampleText("cloudformation/entries.yaml");
    const stack = openStack(ministack, "ebb-entries");
    await stack.create(template, { Table: table });
    expect(meaningsOf(await stored())).toEqual(expected);

    await stack.update(template.replace('"maxReplicas": 20', '"maxReplicas": 30'), { Table: table });
    const key = "CLUSTER#prod HPA#shop/order-worker";
    expect(meaningsOf(await stored())[key]).toMatchObject({ errors: [], spec: { maxReplicas: 30 } });

    // A new name is a new entry: the old one goes.
    await stack.update(template.replaceAll('"queue-age"', '"oldest-message"'), { Table: table });
    expect(Object.keys(meaningsOf(await stored())).sort()).toEqual([
      "CLUSTER#prod CLUSTER",
      key,
      "CLUSTER#prod SOURCE#oldest-message",
    ]);

    await stack.remove();
    expect(await stored()).toEqual([]);
  });
});

/** The example's items are literals, so that what Terraform's provider would put is what the file says. */
test("Terraform makes the same entries", () => {
  const args = ["--strip-string-quotes", "-q", examplePath("terraform/entries.tf")];
  const { locals } = JSON.parse(execFileSync(installed().hcl2json, args, { encoding: "utf8" })) as Evaluated;
  expect(meaningsOf(locals.flatMap(({ entries }) => Object.values(entries)))).toEqual(expected);
});

interface Evaluated {
  readonly locals: readonly { readonly entries: Readonly<Record<string, Item>> }[];
}

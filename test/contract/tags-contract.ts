import {
  DescribeTableCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  TagResourceCommand,
  UntagResourceCommand,
} from "@aws-sdk/client-dynamodb";
import { sharedServer, type StoreUnderTest } from "./shared-server";

/** Tags of a table, as Terraform and osls put them. On any server. */
export function tagsContract(name: string, setUp: () => Promise<StoreUnderTest>): void {
  describe(`tags of a table of ${name}`, () => {
    const server = sharedServer(setUp);

    test("a table has tags", async () => {
      const { endpoint, region, credentials } = server.client.config;
      const client = new DynamoDBClient({ endpoint: (await endpoint()).href, region, credentials });
      const { Table } = await client.send(new DescribeTableCommand({ TableName: server.table }));
      const ResourceArn = Table?.TableArn ?? "";
      const tags = async () => {
        const { Tags = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn }));
        return Tags.map(({ Key, Value }) => `${Key}=${Value}`).sort();
      };
      const Tags = [
        { Key: "team", Value: "blue" },
        { Key: "stage", Value: "test" },
      ];
      await client.send(new TagResourceCommand({ ResourceArn, Tags }));
      expect(await tags()).toEqual(["stage=test", "team=blue"]);
      await client.send(new UntagResourceCommand({ ResourceArn, TagKeys: ["stage"] }));
      expect(await tags()).toEqual(["team=blue"]);
      client.destroy();
    });
  });
}

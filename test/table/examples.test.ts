import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutItemCommand, type PutItemCommandInput } from "@aws-sdk/client-dynamodb";
import { validateHpa } from "../../lib/api/validate-hpa";
import { openStore } from "../../lib/table/store";
import { type EmbeddedTable, openEmbeddedTable } from "../../local/table/embedded-table";

const signal = AbortSignal.timeout(60_000);
let directory: string;
let embedded: EmbeddedTable;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "ebb-table-"));
  embedded = await openEmbeddedTable({ directory });
});

afterAll(async () => {
  await embedded.close();
  await rm(directory, { recursive: true });
});

test("the two items of the README register a cluster and an HPA", async () => {
  for (const file of ["put-cluster.json", "put-hpa.json"]) {
    const text = await readFile(join(__dirname, "../../examples", file), "utf8");
    const Item = JSON.parse(text) as NonNullable<PutItemCommandInput["Item"]>;
    await embedded.client.send(new PutItemCommand({ TableName: embedded.table, Item }));
  }
  const store = openStore({ client: embedded.client, table: embedded.table, now: () => 0 });

  const clusters = await store.clusters(signal);
  expect(clusters).toMatchObject([{ key: "prod", value: { name: "prod", spec: { auth: { type: "eks" } } } }]);

  const { cluster, hpas } = await store.load({ cluster: "prod", from: "", to: null }, signal);
  expect(cluster).toEqual(clusters[0]);
  expect(hpas).toMatchObject([
    {
      key: "shop/order-worker",
      document: {
        metadata: { namespace: "shop", name: "order-worker" },
        spec: {
          minReplicas: 0,
          metrics: [{ external: { metric: { name: "sqs", selector: { matchLabels: { queue: "orders" } } } } }],
        },
      },
    },
  ]);
  expect(validateHpa(hpas[0]?.document, { assumeKind: true }).errors).toEqual([]);
});

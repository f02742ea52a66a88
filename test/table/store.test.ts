import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dynamoClient } from "../../lib/table/client";
import { localRegion } from "../../local/guard/signature";
import { openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { decisionsContract } from "../contract/decisions-contract";
import { dynamodbBench } from "../contract/dynamodb-bench";
import { entriesContract } from "../contract/entries-contract";
import { queueReadsContract } from "../contract/queue-reads-contract";
import { eventsContract } from "../contract/events-contract";
import type { StoreUnderTest } from "../contract/shared-server";
import { storeContract } from "../contract/store-contract";
import { tableContract } from "../contract/table-contract";
import { tagsContract } from "../contract/tags-contract";
import { transactionsContract } from "../contract/transactions-contract";

storeContract("dynalite on disk", setUpBench);
eventsContract("dynalite on disk", setUpBench);
tableContract("dynalite on disk", setUp);
decisionsContract("dynalite on disk", setUp);
entriesContract("dynalite on disk", setUp);
queueReadsContract("dynalite on disk", setUp);
tagsContract("dynalite on disk", setUp);
transactionsContract("dynalite on disk", setUp);

async function setUpBench() {
  return dynamodbBench(await setUp());
}

async function setUp(): Promise<StoreUnderTest> {
  const directory = await mkdtemp(join(tmpdir(), "ebb-table-"));
  const embedded = await openEmbeddedTable({ directory });
  const { endpoint, credential } = embedded;
  return {
    client: embedded.client,
    open: () => dynamoClient({ endpoint, region: localRegion, credentials: credential }),
    table: embedded.table,
    async close() {
      await embedded.close();
      await rm(directory, { recursive: true });
    },
  };
}

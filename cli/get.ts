import { join } from "node:path";
import { Command } from "commander";
import { withDefaults } from "../lib/api/defaults";
import { formatTable, getColumns, getRow } from "../lib/api/printing/get-row";
import { validateHpa } from "../lib/api/validate-hpa";
import { dynamoClient } from "../lib/table/client";
import type { Table } from "../lib/table/reads";
import { openStore } from "../lib/table/store";
import { readRunFile } from "../local/run-file";
import { openEmbeddedTable } from "../local/table/embedded-table";

interface GetOptions {
  readonly directory: string;
  readonly table?: string;
}

/** `ebb get hpa`: all HPAs of the table at a glance, in the columns of `kubectl get hpa`. */
export function getCommand(): Command {
  return new Command("get")
    .description("Show what the table holds, at a glance.")
    .addCommand(
      new Command("hpa")
        .description("All HPAs of all clusters, with their latest status.")
        .option("--directory <dir>", "where `ebb start` keeps its table", ".ebb")
        .option("--table <name>", "read a DynamoDB table, as the AWS settings of the environment say")
        .action(run),
    );
}

async function run({ directory, table }: GetOptions): Promise<void> {
  const print = (text: string) => process.stdout.write(`${text}\n`);
  if (table !== undefined) return printHpas({ client: dynamoClient(), name: table }, print);
  const running = await readRunFile(directory);
  if (running !== undefined) {
    const credentials = { accessKeyId: "embedded", secretAccessKey: "embedded" };
    const client = dynamoClient({ endpoint: running.endpoint, region: "us-east-1", credentials });
    return printHpas({ client, name: running.table }, print);
  }
  const embedded = await openEmbeddedTable({ directory: join(directory, "table") });
  try {
    await printHpas({ client: embedded.client, name: embedded.table }, print);
  } finally {
    await embedded.close();
  }
}

/** Prints a row for each HPA. One that is no usable HPA has a row, too, which says so; its condition has the details. */
export async function printHpas({ client, name }: Table, print: (text: string) => void): Promise<void> {
  const now = Date.now();
  const store = openStore({ client, table: name, now: () => now });
  const signal = AbortSignal.timeout(30_000);
  const clusters = await store.clusters(signal);
  const rows = await Promise.all(
    clusters.map(async ({ key: cluster }) => {
      const { hpas, states } = await store.load({ cluster, from: "", to: null }, signal);
      return hpas.map(({ key, document }) => {
        const [namespace = "", name = ""] = key.split("/");
        const { hpa, errors } = validateHpa(document, { assumeKind: true });
        const cells =
          hpa === undefined || errors.length > 0
            ? [name, "<invalid>", errors[0] ?? "", "", "", "", ""]
            : getRow({ ...withDefaults(hpa), status: states[key]?.status ?? {} }, now);
        return [cluster, namespace, ...cells];
      });
    }),
  );
  const all = rows.flat();
  print(all.length === 0 ? "No HPAs found." : formatTable(["CLUSTER", "NAMESPACE", ...getColumns], all).trimEnd());
}

import { aroundCalls } from "../aws/around";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutItemCommand } from "../../lib/aws/http/dynamodb-commands";
import { toItem } from "../../lib/table/items/attributes";
import type { Entries, EntryRef, StoredEntry } from "../../lib/model/ports/entries";
import { openEntries } from "../../lib/table/entries";
import type { Table } from "../../lib/table/reads";
import { openEmbeddedTable } from "../../local/backends/table/embedded-table";
import { putCluster } from "../../local/entries";
import { memoryDynamodb, memoryTableName } from "../fakes/memory-dynamodb";
import { ebb, type Given, type Ran } from "./run-ebb";

/** Without a timer: one that is pending keeps everything that its test file loaded in memory. */
export const { signal } = new AbortController();
export const now = Date.parse("2026-03-01T12:00:00Z");

interface Opened {
  readonly table: Table;
  readonly close?: () => Promise<void>;
}

/** A table in memory for the tests of a file, and a folder to write files to. */
export function tableForTests() {
  return useTable(() => Promise.resolve({ table: { client: memoryDynamodb(), name: memoryTableName } }));
}

/** The same with a table that other processes and clients reach over HTTP, and that is in files. */
export function servedTableForTests() {
  return useTable(async (directory) => {
    const embedded = await openEmbeddedTable({ directory: join(directory, "table") });
    return { table: { client: embedded.client, name: embedded.table }, close: () => embedded.close() };
  });
}

function useTable(open: (directory: string) => Promise<Opened>) {
  let directory = "";
  let opened: Opened | undefined;
  let written = 0;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "ebb-cli-"));
    opened = await open(directory);
  });
  afterAll(async () => {
    await opened?.close?.();
    await rm(directory, { recursive: true });
  });

  const table = (): Table => {
    if (opened === undefined) throw new Error("the table is opened before the tests");
    return opened.table;
  };
  const entries = (): Entries => openEntries(table());
  const stored = async (ref: EntryRef): Promise<StoredEntry> => {
    const entry = await entries().get(ref, signal);
    if (entry === undefined) throw new Error(`expected the entry ${JSON.stringify(ref)}, got none`);
    return entry;
  };

  return {
    table,
    entries,
    stored,
    folder: () => directory,

    /** A command line on the table, at noon on 1 March. */
    run: (args: readonly string[], given: Given = {}): Promise<Ran> =>
      ebb(args, { table: table(), now: () => now, ...given }),

    /** Writes a file, and gives its path. */
    file: async (content: string, name = `file-${++written}.yaml`): Promise<string> => {
      const path = join(directory, name);
      await writeFile(path, content);
      return path;
    },

    /** Registers a cluster that no test reaches. */
    register: async (cluster: string): Promise<void> => {
      await putCluster(table(), cluster, { auth: { type: "kubeconfig", file: "/nowhere" } });
    },

    /** An item as a person would write it. */
    byHand: async (item: object): Promise<void> => {
      await table().client.send(new PutItemCommand({ TableName: table().name, Item: toItem(item) }));
    },

    /** Everything under a cluster's key goes. */
    clear: async (cluster: string): Promise<void> => {
      for (const kind of ["Cluster", "HorizontalPodAutoscaler", "MetricSource"] as const)
        for (const entry of await entries().list(kind, { cluster }, signal)) await entries().remove(entry, signal);
    },

    /** Runs `act` once, just before the next write is sent. */
    beforeNextWrite: (act: () => Promise<unknown>): void => {
      const end = aroundCalls(table().client, async (next, { operation }) => {
        if (operation !== "PutItem") return await next();
        end();
        await act();
        return await next();
      });
    },
  };
}

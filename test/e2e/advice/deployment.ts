import {
  CreateTableCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { byKindIndex, expiresAtAttribute } from "../../../lib/table/items/keys";
import { startLambdaAccount } from "../../fakes/lambda-account";
import type { Situation } from "./situation";
import { createTable, type World } from "./world";

async function isWell(type: World["type"], table: string): Promise<void> {
  const text = expect.stringMatching(/All is well\.\n$/) as string;
  expect(await type(`ebb doctor --table ${table}`)).toEqual({ text, status: 0 });
}

/** With three of ten executions, nothing fits; with all ten, fewer syncs do. */
const executionsRows = [
  { row: "askForExecutions", allowed: 3 },
  { row: "useFewerExecutions", allowed: 10 },
] as const;

export const deploymentSituations: readonly Situation[] = [
  {
    row: "startExpiry",
    async make({ aws, table, ebb, cluster }) {
      const TimeToLiveSpecification = { Enabled: false, AttributeName: expiresAtAttribute };
      await aws.dynamo.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification }));
      return { printing: [ebb("doctor", cluster)] };
    },
  },
  {
    row: "startBackups",
    async make({ aws, table, ebb, cluster }) {
      const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: false };
      await aws.dynamo.send(new UpdateContinuousBackupsCommand({ TableName: table, PointInTimeRecoverySpecification }));
      return { printing: [ebb("doctor", cluster)] };
    },
  },
  {
    row: "startStream",
    async make({ aws, cluster, type }) {
      // A table of its own: the emulator never starts a stream again.
      const own = `plain-${cluster}`;
      await createTable(aws, own, { withStream: false });
      return { printing: [`ebb doctor --table ${own}`], well: () => isWell(type, own) };
    },
  },
  {
    row: "addIndex",
    async make({ aws, cluster, type }) {
      const own = `bare-${cluster}`;
      await createTable(aws, own);
      const GlobalSecondaryIndexUpdates = [{ Delete: { IndexName: byKindIndex } }];
      await aws.dynamo.send(new UpdateTableCommand({ TableName: own, GlobalSecondaryIndexUpdates }));
      return { printing: [`ebb doctor --table ${own}`], well: () => isWell(type, own) };
    },
  },
  {
    row: "nameTable",
    async make({ aws, ebb, cluster, table, file, folder }) {
      const other = `other-${cluster}`;
      await aws.dynamo.send(
        new CreateTableCommand({
          TableName: other,
          BillingMode: "PAY_PER_REQUEST",
          AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
          KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
        }),
      );
      file("named-table", other);
      return {
        printing: [ebb("doctor", cluster).replace(`--table ${table}`, `--table "$(cat ${folder}/named-table)"`)],
        follow: () => Promise.resolve(void file("named-table", table)),
      };
    },
  },
  {
    row: "reachTable",
    async make({ ebb, cluster, emulator, file, folder }) {
      file("endpoint", "http://127.0.0.1:1");
      return Promise.resolve({
        printing: [`AWS_ENDPOINT_URL="$(cat ${folder}/endpoint)" ${ebb("doctor", cluster)}`],
        follow: () => Promise.resolve(void file("endpoint", emulator.endpoint)),
      });
    },
  },
  ...executionsRows.map(({ row, allowed }): Situation => ({
    row,
    async make({ ebb, cluster, table, after, typed }) {
      const account = await startLambdaAccount(allowed);
      account.mappings.set(`${table}-sync`, { ScalingConfig: { MaximumConcurrency: 10 } });
      after(() => account.close());
      return {
        printing: [`AWS_ENDPOINT_URL_LAMBDA=${account.endpoint} ${ebb("doctor", cluster)}`],
        async follow([ask = ""]) {
          await typed(ask, { AWS_ENDPOINT_URL_SERVICE_QUOTAS: account.endpoint });
        },
      };
    },
  })),
  {
    row: "startTick",
    async make(scene) {
      const there = `${scene.cluster}x`;
      const auth = { type: "token", secret: `ebb/${there}` };
      const { spec } = scene.clusterEntry({ auth });
      await scene.put({ pk: `CLUSTER#${there}`, sk: "CLUSTER", spec });
      await scene.writeSecret({ token: await scene.token() }, `ebb/${there}`);
      scene.after(() => scene.typed(`${scene.ebb("delete", "cluster", there)} --cascade`));
      return {
        printing: [scene.ebb("doctor", there)],
        async follow() {
          await scene.tick();
          await scene.slot(there);
        },
      };
    },
  },
  {
    row: "fixShards",
    async make(scene) {
      const { spec } = scene.clusterEntry({ options: { syncPeriodSeconds: 1 } });
      await scene.put({ sk: "CLUSTER", spec });
      await scene.nextSlot();
      return {
        printing: [scene.ebb("doctor", scene.cluster)],
        async follow([command = ""]) {
          await scene.editTo(command, scene.clusterEntry());
          await scene.nextSlot();
        },
      };
    },
  },
  {
    row: "startFunctions",
    async make(scene) {
      await scene.changeShard({ slot: 3_600_000, heartbeat: 3_600_000 });
      return { printing: [scene.ebb("doctor", scene.cluster)], follow: () => scene.slot(scene.cluster) };
    },
  },
  {
    row: "askStatus",
    when: "no version is known, because nothing was synced",
    async make(scene) {
      await scene.dropShard();
      return {
        printing: [scene.ebb("version", "--cluster", scene.cluster)],
        async follow([status = "", doctor = ""]) {
          expect(await scene.typed(status)).toMatch(new RegExp(`${scene.cluster} +none`));
          expect((await scene.type(doctor)).text).toContain("it has no shards");
          await scene.tick();
          await scene.slot(scene.cluster);
        },
      };
    },
  },
  {
    row: "askStatus",
    when: "an older version has synced last",
    async make(scene) {
      const { ebb, cluster } = scene;
      await scene.changeShard({
        slot: 3_600_000,
        heartbeat: 3_600_000,
        writtenBy: { release: "0.1.0", version: 1 },
        version: 1,
      });
      // The other shards of the table are as new as what is deployed.
      await scene.another();
      return {
        printing: [ebb("version")],
        async follow([status = ""]) {
          expect(await scene.typed(status)).toMatch(new RegExp(`${cluster} .*late`));
          await scene.slot(cluster);
        },
      };
    },
  },
  {
    row: "sameVersion",
    async make(scene) {
      const { ebb, cluster, typed, slot } = scene;
      await scene.changeShard({ slot: 3_600_000, writtenBy: { release: "9.9.9", version: 1 }, version: 1 });
      const here = ebb("version", "--cluster", cluster);
      return {
        printing: [here],
        follow: () => slot(cluster),
        well: async () => expect(await typed(here)).toContain("Server Version: v"),
      };
    },
  },
  {
    row: "giveTime",
    async make(scene) {
      await scene.changeShard({ behind: { [`${scene.namespace}/web`]: Date.now() } });
      return { printing: [scene.ebb("doctor", scene.cluster)], follow: () => scene.nextSlot() };
    },
  },
];

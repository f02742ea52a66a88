import { type Advice, awsOnTable, type Command, row, typed } from "../../../lib/model/advice";
import { byKindIndex, expiresAtAttribute } from "../../../lib/table/items/keys";
import { clusterDirectory, homeDirectory } from "../../../local/kept-tables";
import { type ClusterName, editCluster } from "./entries";

/** How `ebb start` was started. */
interface Start {
  readonly directory: string;
  /** Absent: the demo. */
  readonly own?: {
    readonly cluster: string;
    readonly file: string;
    readonly context?: string | undefined;
    readonly syncPeriodSeconds?: number | undefined;
  };
}

/** The table, the schedule and the functions. */
export const deploymentRows = {
  nameTable: row`name ebb's table with --table`,
  reachTable: row`check --table, --region, --profile and AWS_ENDPOINT_URL`,
  addIndex: row`add the index: ${indexCommand}`,
  startStream: row`switch it on, then deploy again, so that wake reads the new stream: ${() =>
    awsOnTable("update-table", "--stream-specification", "StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES")}`,
  startExpiry: row`switch it on: ${() =>
    awsOnTable(
      "update-time-to-live",
      "--time-to-live-specification",
      `Enabled=true,AttributeName=${expiresAtAttribute}`,
    )}`,
  startBackups: row`switch it on: ${() =>
    awsOnTable(
      "update-continuous-backups",
      "--point-in-time-recovery-specification",
      "PointInTimeRecoveryEnabled=true",
    )}`,

  sameVersion: row`use the same minor version for both`,
  startAgain: row<Start>`start it again: ${startCommands}`,
  startTick: row`see the logs of the tick function, and check that its schedule is enabled`,
  fixShards: row<ClusterName>`fix it with ${editCluster}, or set the clock that is wrong`,
  startFunctions: row`see the logs of the functions tick and sync, and the dead-letter queue (docs/deploy.md, Alarms)`,
  giveTime: row`a cluster or a metric source is slow, see the lines below; or raise the sync function's memory`,
};

/** A clone starts the demo by npm. */
function startCommands({ directory, own }: Start): Advice {
  if (own === undefined) {
    const where = directory === homeDirectory ? [] : ["--directory", directory];
    const byNpm = typed("npm", "start", ...(where.length === 0 ? [] : ["--", ...where]));
    return { parts: [byNpm, ", or ", typed("ebb", "start", ...where), " where ebb is installed"] };
  }
  const { cluster, file, context, syncPeriodSeconds } = own;
  const words = [
    ...["--kubeconfig", file, ...(context === undefined ? [] : ["--context", context]), "--cluster", cluster],
    ...(syncPeriodSeconds === undefined ? [] : ["--sync-period", String(syncPeriodSeconds)]),
    ...(directory === clusterDirectory(cluster) ? [] : ["--directory", directory]),
  ];
  return { parts: [typed("ebb", "start", ...words)] };
}

function indexCommand(): Command {
  const keys = ["sk", "pk"].map((name, index) => ({ AttributeName: name, KeyType: index === 0 ? "HASH" : "RANGE" }));
  const Create = { IndexName: byKindIndex, KeySchema: keys, Projection: { ProjectionType: "KEYS_ONLY" } };
  const attributes = ["pk", "sk"].map((name) => `AttributeName=${name},AttributeType=S`);
  const definitions = ["--attribute-definitions", ...attributes];
  return awsOnTable("update-table", ...definitions, "--global-secondary-index-updates", JSON.stringify([{ Create }]));
}

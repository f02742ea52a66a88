import { aws, awsOnTable, type Command, row, typed } from "../../../lib/model/advice";
import { byKindIndex, expiresAtAttribute } from "../../../lib/table/items/keys";
import { clusterDirectory, homeDirectory } from "../../../local/stored-tables";
import { type ClusterName, editCluster } from "./entries";

interface OwnStart extends ClusterName {
  readonly file: string;
  readonly context?: string | undefined;
  readonly syncPeriodSeconds?: number | undefined;
  readonly directory: string;
}

export const deploymentRows = {
  nameTable: row`name ebb's table with --table`,
  describeTable: row`choose credentials that have this right, with --profile; ebb works without it`,
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

  grantPoller: row<{
    readonly role: string | undefined;
  }>`grant the zero-scale poller's role what the role of sync has (docs/deploy.md, Grants to ebb's roles): ${({
    role,
  }) =>
    role ??
    "the stack's output WatchRoleArn"}, in the policy of the queue, the key or the role, in infra/roles.yml, or by an access entry`,

  askForExecutions: row`ask AWS for more, which costs nothing: ${moreExecutions}`,
  useFewerExecutions: row<{
    readonly param: string;
  }>`deploy with ${({ param }) => param}, or ask AWS for more: ${moreExecutions}`,

  sameVersion: row`use the same minor version for both`,
  startDemo: row<{ readonly directory: string }>`start it: ${({ directory }) =>
    typed("npm", "start", ...inDirectory(directory, "--"))}, or ${({ directory }) =>
    typed("ebb", "start", ...inDirectory(directory))} where ebb is installed`,
  startOwn: row<OwnStart>`start it: ${({ cluster, file, context, syncPeriodSeconds, directory }) =>
    typed(
      ...["ebb", "start", "--kubeconfig", file, ...(context === undefined ? [] : ["--context", context])],
      ...["--cluster", cluster],
      ...(syncPeriodSeconds === undefined ? [] : ["--sync-period", String(syncPeriodSeconds)]),
      ...(directory === clusterDirectory(cluster) ? [] : ["--directory", directory]),
    )}`,
  startTick: row`see the logs of the tick function, and check that its schedule is enabled`,
  fixShards: row<ClusterName>`fix it with ${editCluster}, or set the clock that is wrong`,
  startFunctions: row`see the logs of the functions tick and sync, and the dead-letter queue (docs/deploy.md, Alarms)`,
  giveTime: row`a cluster or a metric source is slow, see the lines below; or raise the sync function's memory`,
};

function inDirectory(directory: string, ...before: readonly string[]): readonly string[] {
  return directory === homeDirectory ? [] : [...before, "--directory", directory];
}

/** Lambda's quota "Concurrent executions". */
function moreExecutions(): Command {
  const quota = ["--service-code", "lambda", "--quota-code", "L-B99A9384", "--desired-value", "1000"];
  return aws("service-quotas", "request-service-quota-increase", ...quota);
}

function indexCommand(): Command {
  const keys = ["sk", "pk"].map((name, index) => ({ AttributeName: name, KeyType: index === 0 ? "HASH" : "RANGE" }));
  const Create = { IndexName: byKindIndex, KeySchema: keys, Projection: { ProjectionType: "KEYS_ONLY" } };
  const attributes = ["pk", "sk"].map((name) => `AttributeName=${name},AttributeType=S`);
  const definitions = ["--attribute-definitions", ...attributes];
  return awsOnTable("update-table", ...definitions, "--global-secondary-index-updates", JSON.stringify([{ Create }]));
}

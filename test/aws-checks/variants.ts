import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Deployments whose templates are checked: the stages, without and with what an account can ask for. */
export const root = resolve(__dirname, "../..");

const key = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
/** Every param that is empty by default, and each list with more than one. */
export const everyParam: Readonly<Record<string, string>> = {
  alarmTopicArn: "arn:aws:sns:eu-central-1:111122223333:alarms",
  dashboard: "true",
  notifyArn: "arn:aws:sns:eu-central-1:111122223333:ebb.fifo",
  notifyKmsKeyArn: key.replace("1234abcd", "3456abcd"),
  notifyTypes: "at-max,failing",
  notifyClusters: "prod,staging",
  notifyNamespaces: "shop,mail",
  notifyLabels: "tier=gold",
  metricsTokenArn: "arn:aws:secretsmanager:eu-central-1:111122223333:secret:ebb-metrics-AbCdEf",
  subnetIds: "subnet-0123456789abcdef0,subnet-0123456789abcdef1",
  securityGroupIds: "sg-0123456789abcdef0",
  allowedHosts: "tunnel.example.com",
  sourceHosts: "*.example.com,stats.example.org",
  syncPollers: "2,10",
  tickReservedConcurrency: "1",
  kmsKeyArns: `${key.replace("1234abcd", "5678abcd")},${key.replace("1234abcd", "9abcabcd")}`,
  kmsKeyArn: key,
  permissionsBoundary: "arn:aws:iam::111122223333:policy/boundary",
  queueArns: "arn:aws:sqs:*:111122223333:shop-*,arn:aws:sqs:*:444455556666:shop-*",
  secretArns: "arn:aws:secretsmanager:eu-central-1:111122223333:secret:ebb/*",
};

export interface Variant {
  readonly stage: string;
  readonly params: Readonly<Record<string, string>>;
}

export const variants = {
  dev: { stage: "dev", params: {} },
  prod: { stage: "prod", params: {} },
  everything: { stage: "prod", params: everyParam },
  bare: {
    stage: "staging",
    params: {
      watchBudget: "0",
      kmsKeyArn: key,
      notifyArn: "arn:aws:events:eu-central-1:111122223333:event-bus/ebb",
      metricsTokenArn: "arn:aws:ssm:eu-central-1:111122223333:parameter/ebb-metrics/token",
      metricsReservedConcurrency: "0",
    },
  },
} as const satisfies Readonly<Record<string, Variant>>;

export type VariantName = keyof typeof variants;
export const variantNames = Object.keys(variants) as VariantName[];

export const folderOf = (name: string) => join(root, "reports/aws-checks", name);
/** Of the whole stack; the other one, with the bucket alone, is a part of it. */
export const templateFile = (name: VariantName) => join(folderOf(name), "cloudformation-template-update-stack.json");

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
}

export function templateOf(name: VariantName): Template {
  return JSON.parse(readFileSync(templateFile(name), "utf8")) as Template;
}

/** What the template's references are in a deployment of the stage prod. */
export const deployed: Readonly<Record<string, string>> = {
  "AWS::Partition": "aws",
  "AWS::Region": "eu-central-1",
  "AWS::AccountId": "111122223333",
  "AWS::URLSuffix": "amazonaws.com",
  Table: "ebb-prod",
  "Table.Arn": "arn:aws:dynamodb:eu-central-1:111122223333:table/ebb-prod",
  // AWS names a stream by its time. parliament takes no ARN with more colons.
  "Table.StreamArn": "arn:aws:dynamodb:eu-central-1:111122223333:table/ebb-prod/stream/label",
  "SlotQueue.Arn": "arn:aws:sqs:eu-central-1:111122223333:ebb-prod-slots",
  "DeadLetterQueue.Arn": "arn:aws:sqs:eu-central-1:111122223333:ebb-prod-slots-dead",
  "TickLambdaFunction.Arn": "arn:aws:lambda:eu-central-1:111122223333:function:ebb-prod-tick",
  "WatchLambdaFunction.Arn": "arn:aws:lambda:eu-central-1:111122223333:function:ebb-prod-watch",
  "NotifyLambdaFunction.Arn": "arn:aws:lambda:eu-central-1:111122223333:function:ebb-prod-notify",
  "MetricsLambdaFunction.Arn": "arn:aws:lambda:eu-central-1:111122223333:function:ebb-prod-metrics",
};

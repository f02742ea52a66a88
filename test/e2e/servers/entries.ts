import { PutItemCommand, type AttributeValue, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { CrossVersionObjectReference } from "../../../lib/k8s/hpa";
import { boundSecret } from "../../cluster/connect";
import type { ApiServer } from "./api-server";

/** Entries as people write them: what the README's `aws dynamodb put-item` sends. */
export interface EntryTable {
  readonly dynamo: DynamoDBClient;
  readonly table: string;
  readonly cluster: string;
}

const text = (S: string) => ({ S });
const number = (N: number) => ({ N: String(N) });
const map = (M: Record<string, AttributeValue>) => ({ M });

/** The secret of the user "ebb", as docs/deploy.md says to write it. */
export function ebbSecret(apiServer: Pick<ApiServer, "endpoint" | "certificateAuthorityData" | "ebbToken">): string {
  return boundSecret(apiServer, { token: apiServer.ebbToken });
}

/** A cluster whose token is in the secret. */
export function putCluster(
  { dynamo, table, cluster }: EntryTable,
  apiServer: ApiServer,
  options: { readonly secret: string; readonly syncPeriodSeconds: number },
) {
  const Item = {
    pk: text(`CLUSTER#${cluster}`),
    sk: text("CLUSTER"),
    spec: map({
      endpoint: text(apiServer.endpoint),
      certificateAuthorityData: text(apiServer.certificateAuthorityData),
      auth: map({ type: text("token"), secret: text(options.secret) }),
      options: map({ syncPeriodSeconds: number(options.syncPeriodSeconds) }),
    }),
  };
  return dynamo.send(new PutItemCommand({ TableName: table, Item }));
}

/**
 * An HPA of the target's name: 0 to 10 replicas, one for every 5 messages in the queue of that name, without waiting to
 * scale down. The emulators count exactly, so one empty reading is enough for zero.
 */
export function putQueueHpa({ dynamo, table, cluster }: EntryTable, target: Required<CrossVersionObjectReference>) {
  const { apiVersion, kind, name } = target;
  const metric = map({ name: text("sqs"), selector: map({ matchLabels: map({ queue: text(name) }) }) });
  const external = map({ metric, target: map({ type: text("AverageValue"), averageValue: text("5") }) });
  const Item = {
    pk: text(`CLUSTER#${cluster}`),
    sk: text(`HPA#default/${name}`),
    metadata: map({ annotations: map({ "ebb.dev/metric-rules": text(JSON.stringify({ sqs: { confirm: 1 } })) }) }),
    spec: map({
      scaleTargetRef: map({ apiVersion: text(apiVersion), kind: text(kind), name: text(name) }),
      minReplicas: number(0),
      maxReplicas: number(10),
      metrics: { L: [map({ type: text("External"), external })] },
      behavior: map({ scaleDown: map({ stabilizationWindowSeconds: number(0) }) }),
    }),
  };
  return dynamo.send(new PutItemCommand({ TableName: table, Item }));
}

import { type AddressRules, onThisMachine } from "../../net/address";
import type { SourceQuery } from "../../model/ports/sources";
import { readParameters, requiredText } from "../fields/read-fields";
import { type Peer, peerText } from "../network/peer";
import { readTcpServer, type TcpServer } from "../network/tcp-server";
import { badParameter } from "../parameters";
import { awsIamRole, regionOfBroker } from "./aws-iam";
import { type ChoiceField, countField, flagField, type ParameterFields, textField } from "../fields/field";
import { tcpFields } from "../fields/server-fields";

const offsetResetPolicy: ChoiceField<"earliest" | "latest" | "none"> = {
  type: "choice",
  values: ["earliest", "latest", "none"],
  expected: "one of earliest, latest and none",
};

/** Upstream: Topic.validate (clients/src/main/java/org/apache/kafka/common/internals/Topic.java). */
const topic = String.raw`(?!\.\.?(?:,|$))[\w.-]{1,249}`;

export const kafkaFields = {
  group: textField({ expected: "a consumer group's name", pattern: /^[^\0]{1,500}$/ }),
  topics: textField({
    expected: "a topic's name of 1 to 249 letters, digits, ., _ and -, or several with commas",
    pattern: new RegExp(`^${topic}(,\\s*${topic}){0,99}$`),
  }),
  topicPrefix: textField({ expected: "the beginning of topics' names", pattern: /^[\w.-]{1,249}$/ }),
  partitions: textField({
    expected: "partitions such as 0,2,4-7",
    pattern: /^\d{1,6}(-\d{1,6})?(,\s*\d{1,6}(-\d{1,6})?){0,99}$/,
  }),
  offsetResetPolicy,
  uncommittedLag: countField(0, 999_999_999),
  lagThreshold: countField(1, 999_999_999),
  allowIdleConsumers: flagField,
  limitToPartitionsWithLag: flagField,
  excludePersistentLagAfterSeconds: countField(1, 86_400),
  awsIam: flagField,
  ...tcpFields,
} satisfies ParameterFields;

export type OffsetResetPolicy = (typeof offsetResetPolicy.values)[number];

export interface KafkaQuery {
  readonly server: TcpServer;
  readonly group: string;
  readonly topics: Topics;
  readonly partitions: readonly Range[] | undefined;
  readonly policy: OffsetResetPolicy;
  readonly uncommittedLag: number | undefined;
  readonly cap: Cap | undefined;
  readonly persistent: Persistent | undefined;
  readonly role: Peer["role"];
  readonly description: string;
}

export type Topics = { readonly names: readonly string[] } | { readonly prefix: string } | "committed";

/** Both ends included. */
export type Range = readonly [first: number, last: number];

/** A replica beyond the partitions would have none. */
export interface Cap {
  readonly lagThreshold: number;
  readonly onlyWithLag: boolean;
}

/** After `afterMs` without a commit, a partition's lag counts as at most one replica's. */
export interface Persistent {
  readonly afterMs: number;
  readonly most: number;
}

export const schemes = { secure: "kafkas", plain: "kafka" };

/** @throws Fault "badEntry". */
export function parseKafkaQuery({ parameters }: SourceQuery, addresses: AddressRules = onThisMachine): KafkaQuery {
  const values = readParameters(kafkaFields, parameters);
  const server = readTcpServer(values, { schemes, addresses });
  const group = requiredText(kafkaFields, values, "group");
  const { partitions, offsetResetPolicy: policy = "latest", uncommittedLag, awsIam = false } = values;
  if (awsIam) requireAws(server);
  return {
    server,
    group,
    topics: topicsOf(values),
    partitions: partitions?.split(",").map(rangeOf),
    policy,
    uncommittedLag,
    cap: capOf(values),
    persistent: persistentOf(values),
    role: awsIam ? awsIamRole : undefined,
    description: `group ${JSON.stringify(group)} of ${server.peers.map(peerText).join()}`,
  };
}

function topicsOf({ topics, topicPrefix }: { readonly topics?: string; readonly topicPrefix?: string }): Topics {
  if (topics !== undefined && topicPrefix !== undefined)
    throw badParameter("topicPrefix", "topics or topicPrefix, and not both", topicPrefix);
  if (topicPrefix !== undefined) return { prefix: topicPrefix };
  if (topics === undefined) return "committed";
  return { names: [...new Set(topics.split(",").map((name) => name.trim()))] };
}

function rangeOf(text: string): Range {
  const [first = 0, last = first] = text.split("-").map(Number);
  if (last < first) throw badParameter("partitions", "a range that ends after it begins", text);
  return [first, last];
}

interface CapParameters {
  readonly lagThreshold?: number;
  readonly allowIdleConsumers?: boolean;
  readonly limitToPartitionsWithLag?: boolean;
}

function capOf({ lagThreshold, allowIdleConsumers = false, limitToPartitionsWithLag = false }: CapParameters) {
  if (allowIdleConsumers) {
    if (limitToPartitionsWithLag)
      throw badParameter("limitToPartitionsWithLag", "false beside allowIdleConsumers", limitToPartitionsWithLag);
    return undefined;
  }
  if (lagThreshold === undefined)
    throw badParameter(
      "lagThreshold",
      "the lag of one replica, as in the metric's target, so that no replica is without a partition; or allowIdleConsumers: true",
      undefined,
    );
  return { lagThreshold, onlyWithLag: limitToPartitionsWithLag };
}

function persistentOf({ excludePersistentLagAfterSeconds: seconds, lagThreshold: most }: PersistentParameters) {
  if (seconds === undefined) return undefined;
  if (most === undefined)
    throw badParameter("lagThreshold", "the lag of one replica beside excludePersistentLagAfterSeconds", undefined);
  return { afterMs: seconds * 1000, most };
}

interface PersistentParameters extends Pick<CapParameters, "lagThreshold"> {
  readonly excludePersistentLagAfterSeconds?: number;
}

/** Anyone who gets a token of the function's role can use it. */
function requireAws({ secret, isSecure, peers }: TcpServer): void {
  if (secret !== undefined) throw badParameter("awsIam", "no secret beside it", true);
  if (!isSecure) throw badParameter("tls", "true with awsIam", false);
  const foreign = peers.find(({ host }) => regionOfBroker(host) === undefined);
  if (foreign !== undefined)
    throw badParameter("address", "brokers of Amazon MSK, because awsIam is true", peerText(foreign));
}

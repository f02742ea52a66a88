import { once } from "../../async/shared";
import { Fault, type FaultKind } from "../../model/fault";
import type { MetricSource } from "../../model/ports/sources";
import type { CommittedOffsets } from "../../model/stored/state";
import { asReading } from "../network/as-reading";
import type { SourceNetwork } from "../network/network";
import { openTcpClient } from "../network/tcp-client";
import { quantityOf } from "../quantity-of";
import { parseKafkaQuery } from "./kafka-query";
import { KafkaRefusal, kafkaProtocol } from "./kafka-session";
import { type Lag, readLag } from "./lag";

export function openKafkaSource(network: SourceNetwork): MetricSource {
  const connect = openTcpClient(kafkaProtocol(network), network);

  return {
    keepMs: () => 0,
    open(context) {
      const lags = once<Lag>();
      return {
        async read(query) {
          let committedOffsets: CommittedOffsets | undefined;
          const reading = await asReading("kafka", query, context, async () => {
            const parsed = parseKafkaQuery(query, network.addresses);
            const { server, description } = parsed;
            const failureKey = JSON.stringify(parsed);
            const before = { committedOffsets: query.committedOffsets ?? {}, now: context.now };
            const found = await lags(failureKey, () =>
              connect(context, server, { description, failureKey, priority: query.priority }, (withConnection) =>
                readLag(parsed, withConnection, before).catch((error: unknown) => {
                  throw error instanceof KafkaRefusal ? faultOf(error) : error;
                }),
              ),
            );
            ({ committedOffsets } = found);
            return [{ value: quantityOf(found.lag), labels: {} }];
          });
          return committedOffsets === undefined ? reading : { ...reading, committedOffsets };
        },
      };
    },
  };
}

const meanings: Readonly<Record<string, readonly [FaultKind, string]>> = {
  UNKNOWN_TOPIC_OR_PARTITION: ["notFound", "there is no such topic"],
  TOPIC_AUTHORIZATION_FAILED: ["forbidden", "the user may not describe the topic"],
  GROUP_AUTHORIZATION_FAILED: ["forbidden", "the user may not describe the group"],
  CLUSTER_AUTHORIZATION_FAILED: ["forbidden", "the user may not do that"],
  NOT_LEADER_FOR_PARTITION: ["badAnswer", "the leader of a partition is moving"],
  LEADER_NOT_AVAILABLE: ["badAnswer", "the leader of a partition is moving"],
  GROUP_COORDINATOR_NOT_AVAILABLE: ["badAnswer", "the group's coordinator is moving"],
  NOT_COORDINATOR_FOR_GROUP: ["badAnswer", "the group's coordinator is moving"],
  GROUP_LOAD_IN_PROGRESS: ["badAnswer", "the group's coordinator is moving"],
  REBALANCE_IN_PROGRESS: ["badAnswer", "the group is rebalancing"],
};

function faultOf({ type }: KafkaRefusal): Fault {
  const [kind, meaning] = meanings[type] ?? ["badAnswer", "the broker refused"];
  return new Fault(kind, `${meaning} (${type})`);
}

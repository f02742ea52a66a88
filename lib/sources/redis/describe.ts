import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedTcpFields } from "../fields/tcp-fields";
import { describedVariableFields } from "../fields/web-fields";
import { redisFields } from "./fields";
import { fromRedis, fromRedisStreams } from "./keda";
import { redis } from "./kind";
import { parseRedisQuery } from "./redis-query";

export const describedRedis = describeKind(redis, redisFields, {
  summary: "How much is in a key of Redis, or what a stream's group has still to do.",
  parameters: {
    key: "A list, set, sorted set or hash, whose elements count. A placeholder ${name} becomes the label var.name.",
    type: "The type that the key must have. Default: any of them.",
    processing: "A second key, whose elements are added.",
    stream: "A stream, whose entries count.",
    group: "The consumer group of the stream.",
    count:
      "Of a stream, its length; of a group, pending (not acknowledged), lag (not read), or backlog (both). Default backlog with a group, else length.",
    absent: "The value if it does not exist. Default 0 for a key, else error.",
    database: "The number of the database. Default 0.",
    topology: "What the addresses belong to. Default single.",
    master: "With sentinels: their name for the master.",
    address: "The server as host:port, or several members with commas. Required, except with via.",
    ...describedTcpFields,
    ...describedVariableFields,
  },
  parse: parseRedisQuery,
  example: { address: "redis.example.com:6379", key: "orders" },
  advice: row`check that the address answers (redis-cli), and that the user may run TYPE and the command that counts`,
  iam: [],
  keda: {
    redis: fromRedis(undefined),
    "redis-cluster": fromRedis("cluster"),
    "redis-sentinel": fromRedis("sentinel"),
    "redis-streams": fromRedisStreams(undefined),
    "redis-cluster-streams": fromRedisStreams("cluster"),
    "redis-sentinel-streams": fromRedisStreams("sentinel"),
  },
});

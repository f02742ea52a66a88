import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedTcpFields, describedVariableFields } from "../fields/server-fields";
import { redisFields, parseRedisQuery } from "./redis-query";
import { redis } from "./kind";
import { type FromKeda, type KedaTrigger, literal, nonZero, noteTls, numeric, onlySet } from "../keda";

type Topology = "cluster" | "sentinel" | undefined;

const ofUsers = ["username", "password"];

const ofSentinels = ["sentinelUsername", "sentinelPassword"];

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

function fromRedis(topology: Topology): (trigger: KedaTrigger) => FromKeda {
  return (trigger) => {
    trigger.activation("activationListLength");
    return {
      parameters: onlySet({ ...serverOf(trigger, topology), key: literal(trigger.required("listName")) }),
      target: trigger.text("listLength") ?? "5",
    };
  };
}

/** KEDA counts a group's lag if lagCount is set, else its pending entries. */
function fromRedisStreams(topology: Topology): (trigger: KedaTrigger) => FromKeda {
  return (trigger) => {
    trigger.activation("activationLagCount");
    const server = serverOf(trigger, topology);
    const stream = literal(trigger.required("stream"));
    const group = literal(trigger.text("consumerGroup"));
    const lag = nonZero(trigger, "lagCount");
    const [pending, length] = ["pendingEntriesCount", "streamLength"].map((name) => trigger.text(name));
    const count = group === undefined ? undefined : lag === undefined ? "pending" : "lag";
    return {
      // Upstream, KEDA 2.21: createEntriesCountFn (pkg/scalers/redis_streams_scaler.go).
      parameters: onlySet({ ...server, stream, group, count, absent: count === "pending" ? undefined : 0 }),
      target: (group === undefined ? length : (lag ?? pending)) ?? "5",
    };
  };
}

function serverOf(trigger: KedaTrigger, topology: Topology) {
  for (const name of [...ofUsers, ...(topology === "sentinel" ? ofSentinels : [])]) trigger.secret(name, name);
  noteTls(trigger, "the server's");
  const isTls = trigger.lost("tls", "is not carried over: tls is true in the entry, as if it were enable");
  const address = trigger.text("address") ?? trigger.text("addresses") ?? hostsAndPorts(trigger);
  if (address === undefined)
    trigger.note(topology === undefined ? "address" : "addresses", "is missing: set it to host:port", "step");
  return {
    address,
    topology,
    master: topology === "sentinel" ? trigger.required("sentinelMaster") : undefined,
    database: topology === "cluster" ? undefined : numeric(trigger.text("databaseIndex")),
    // KEDA's default is the opposite.
    tls: trigger.flag("enableTLS", false) || isTls ? undefined : false,
  };
}

/** "a,b" and "1,2" become "a:1,b:2". */
function hostsAndPorts(trigger: KedaTrigger): string | undefined {
  const hosts = trigger.text("host") ?? trigger.text("hosts");
  const ports = (trigger.text("port") ?? trigger.text("ports") ?? "6379").split(",");
  return hosts
    ?.split(",")
    .map((host, index) => `${host.trim()}:${(ports[index] ?? ports[0] ?? "").trim()}`)
    .join(",");
}

import { type FromKeda, type KedaTrigger, noteTls, numeric, onlySet } from "../keda";

type Topology = "cluster" | "sentinel" | undefined;

const ofUsers = ["username", "password"];
const ofSentinels = ["sentinelUsername", "sentinelPassword"];

export function fromRedis(topology: Topology): (trigger: KedaTrigger) => FromKeda {
  return (trigger) => {
    trigger.activation("activationListLength");
    return {
      parameters: onlySet({ ...serverOf(trigger, topology), key: trigger.required("listName") }),
      target: trigger.text("listLength") ?? "5",
    };
  };
}

/** KEDA counts a group's lag if lagCount is set, else its pending entries. */
export function fromRedisStreams(topology: Topology): (trigger: KedaTrigger) => FromKeda {
  return (trigger) => {
    trigger.activation("activationLagCount");
    const server = serverOf(trigger, topology);
    const stream = trigger.required("stream");
    const group = trigger.text("consumerGroup");
    const [lag, pending, length] = ["lagCount", "pendingEntriesCount", "streamLength"].map((name) =>
      trigger.text(name),
    );
    const count = group === undefined ? undefined : lag === undefined ? "pending" : "lag";
    if (group !== undefined)
      trigger.note(
        "consumerGroup",
        `becomes count: ${count}, as KEDA counts: without count, ebb counts what is pending and what the group has not read`,
      );
    if (group === undefined && (lag ?? pending) !== undefined)
      trigger.note("consumerGroup", "is missing: KEDA counts the stream's length, and so does ebb");
    return {
      parameters: onlySet({ ...server, stream, group, count }),
      target: (group === undefined ? length : (lag ?? pending)) ?? "5",
    };
  };
}

function serverOf(trigger: KedaTrigger, topology: Topology) {
  for (const name of [...ofUsers, ...(topology === "sentinel" ? ofSentinels : [])]) trigger.secret(name, name);
  noteTls(trigger, "the server's");
  const isTls = trigger.lost("tls", "is not carried over: tls is true in the entry, as if it were enable");
  const address = trigger.text("address") ?? trigger.text("addresses") ?? hostsAndPorts(trigger);
  if (address === undefined) trigger.note("address", "is missing: set it to host:port");
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

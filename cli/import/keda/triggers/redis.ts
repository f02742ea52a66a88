import { numeric, onlySet } from "../../../../lib/sources/keda";
import type { SourceTrigger, TriggerReader } from "../trigger";

/** redis, redis-cluster and redis-sentinel: the length of a list. */
export function redis(topology: "cluster" | "sentinel" | undefined): (trigger: TriggerReader) => SourceTrigger {
  return (trigger) => {
    trigger.activation("activationListLength");
    for (const name of ["username", "password", "sentinelUsername", "sentinelPassword"]) {
      if (trigger.text(name) !== undefined)
        trigger.note(name, "is not carried over: put it into a secret, and name that in the entry");
    }
    const address = trigger.text("address") ?? trigger.text("addresses");
    return {
      kind: "redis",
      parameters: onlySet({
        address: address ?? hostsAndPorts(trigger),
        topology,
        sentinelMaster: trigger.text("sentinelMaster"),
        list: trigger.required("listName"),
        database: numeric(trigger.text("databaseIndex")),
        tls: trigger.flag("enableTLS", false) ? true : undefined,
        insecure: trigger.flag("unsafeSsl", false) ? true : undefined,
      }),
      target: trigger.text("listLength") ?? "5",
    };
  };
}

function hostsAndPorts(trigger: TriggerReader): string | undefined {
  const hosts = trigger.text("host") ?? trigger.text("hosts");
  return pairs(hosts, trigger.text("port") ?? trigger.text("ports"));
}

/** "a,b" and "1,2" as "a:1,b:2". */
function pairs(hosts: string | undefined, ports: string | undefined): string | undefined {
  if (hosts === undefined) return undefined;
  const each = (ports ?? "6379").split(",");
  return hosts
    .split(",")
    .map((host, index) => `${host.trim()}:${(each[index] ?? each[0] ?? "").trim()}`)
    .join(",");
}

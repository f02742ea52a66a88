import { hostName } from "../../http/address";
import type { Peer } from "../network/peer";
import type { RedisRefusal } from "./redis-session";

/**
 * Where a cluster's member sends a command: "3999 10.0.0.1:6381", without a host if it is the member's own. Undefined:
 * nowhere.
 */
export function readMoved({ code, detail }: RedisRefusal, from: Peer): Peer | undefined {
  if (code !== "MOVED" && code !== "ASK") return undefined;
  const [, host = "", port = ""] = /^\d{1,5} (.*):(\d{1,5})$/s.exec(detail) ?? [];
  if (port === "") return undefined;
  return { host: host === "" || host === "?" ? from.host : hostName(host), port: Number(port) };
}

import { BoundedMap } from "../../async/bounded-map";
import { once } from "../../async/shared";
import { Fault, isFault } from "../../model/fault";
import type { MetricSource, ReadContext } from "../../model/ports/sources";
import { badAnswer, asReading, foreignWords } from "../network/as-reading";
import type { SourceNetwork } from "../network/network";
import { type Peer, peerText } from "../network/peer";
import { type WithConnection, openTcpClient } from "../network/tcp-client";
import { quantityOf } from "../parameters";
import { type Count, type SendCommand, countKey, countStream } from "./count";
import { parseRedisQuery, type RedisQuery } from "./redis-query";
import { redisProtocol, RedisRefusal, type RedisSession } from "./redis-session";
import { hostName } from "../../net/address";

/** Slots may move meanwhile. */
const mostMoves = 5;
/** Which member has a key: saves a request in each slot. */
const rememberedKeys = 10_000;

type Counted = Exclude<Count, { missing: string }>;

export function openRedisSource(network: SourceNetwork): MetricSource {
  const connect = openTcpClient(redisProtocol, network);
  const members = new BoundedMap<string, Peer>(rememberedKeys);

  return {
    keepMs: () => 0,
    open(context) {
      const masters = once<Peer>();
      const counts = once<Counted>();
      return {
        async read(query) {
          let atLeast = 0;
          const reading = await asReading("redis", query, context, async () => {
            const parsed = parseRedisQuery(query, network.addresses);
            const failureKey = JSON.stringify(parsed);
            const found = await counts(failureKey, () =>
              count(context, parsed, { failureKey, priority: query.priority, masters }),
            );
            if ("unknown" in found) {
              ({ atLeast } = found);
              throw badAnswer(`${descriptionOf(parsed)}: ${found.unknown}`);
            }
            const { value, warning } = found;
            return [{ value: quantityOf(value), labels: warning === undefined ? {} : { warnings: warning } }];
          });
          return "error" in reading && atLeast > 0 ? { ...reading, atLeast } : reading;
        },
      };
    },
  };

  function count(
    context: ReadContext,
    query: RedisQuery,
    {
      failureKey,
      priority,
      masters,
    }: Pick<Reading, "masters"> & { readonly failureKey: string; readonly priority: number | undefined },
  ): Promise<Counted> {
    const { server, counted, absent } = query;
    const description = descriptionOf(query);
    return connect(context, server, { description, failureKey, priority }, async (withConnection) => {
      const send = senderOf(query, { cluster: context.cluster.name, withConnection, masters });
      const found = await ("stream" in counted ? countStream(send, counted) : countKeys(send, counted));
      if (!("missing" in found)) return found;
      if (absent !== undefined) return { value: absent };
      throw badAnswer(`there is no ${found.missing}; set absent if that means a number`);
    });
  }

  async function countKeys(send: SendCommand, { keys, type }: Extract<RedisQuery["counted"], { keys: unknown }>) {
    let value = 0;
    let missing: string | undefined;
    for (const key of keys) {
      const found = await countKey(send, key, type);
      if ("missing" in found) missing = found.missing;
      else value += found.value;
    }
    return missing !== undefined && value === 0 ? { missing } : { value };
  }

  interface Reading {
    readonly cluster: string;
    readonly withConnection: WithConnection<RedisSession>;
    readonly masters: ReturnType<typeof once<Peer>>;
  }

  function senderOf(query: RedisQuery, reading: Reading): SendCommand {
    const { withConnection } = reading;
    const { server, database } = query;
    if (query.topology === "single")
      return (command) =>
        withConnection(server.peers[0], (session) => session.call(command, database)).catch(throwFault);
    if (query.topology === "cluster") return (command) => callCluster(command, query, reading).catch(throwFault);
    return async (command) => {
      const name = JSON.stringify([server.peers.map(peerText), query.master, server.secret]);
      const master = await reading.masters(name, () => findMaster(query, withConnection));
      return await withConnection(master, (session) => session.call(command, database)).catch(throwFault);
    };
  }

  async function callCluster(
    command: Parameters<SendCommand>[0],
    { server }: RedisQuery,
    { cluster, withConnection }: Reading,
  ) {
    const [, key = ""] = command[0] === "XINFO" ? command.slice(1) : command;
    const name = JSON.stringify([cluster, server.peers, server.secret, key]);
    const known = members.get(name);
    let seeds: readonly Peer[] = [...(known === undefined ? [] : [known]), ...server.peers];
    let isAsking = false;
    for (let moves = 0; ; moves += 1) {
      const [peer, ...others] = seeds;
      if (peer === undefined) throw new Fault("unreachable", "no member of the cluster is left to ask");
      try {
        const reply = await withConnection(peer, async (session) => {
          if (isAsking) await session.call(["ASKING"]);
          return await session.call(command);
        });
        if (!isAsking) members.set(name, peer);
        return reply;
      } catch (error) {
        members.delete(name);
        const moved = error instanceof RedisRefusal ? readMoved(error, peer) : undefined;
        if (moves >= mostMoves || (moved === undefined && !(isFault(error, "unreachable") && others.length > 0)))
          throw error;
        isAsking = moved !== undefined && (error as RedisRefusal).code === "ASK";
        seeds = moved === undefined ? others : [moved];
      }
    }
  }
}

/** From the first sentinel that answers. Rejects with a Fault. */
async function findMaster(
  { server, master = "" }: RedisQuery,
  withConnection: WithConnection<RedisSession>,
): Promise<Peer> {
  let failure: unknown;
  for (const peer of server.peers) {
    try {
      const at = await withConnection({ ...peer, role: "sentinel" }, (session) =>
        session.call(["SENTINEL", "GET-MASTER-ADDR-BY-NAME", master]),
      );
      if (at === null) throw new Fault("notFound", `the sentinel ${peerText(peer)} knows no master ${master}`);
      const [host, port] = Array.isArray(at) ? (at as readonly unknown[]) : [];
      if (typeof host !== "string" || host === "" || !/^\d{1,5}$/.test(String(port)))
        throw badAnswer("expected the master's address from the sentinel, got something else");
      return { host, port: Number(port) };
    } catch (error) {
      failure = error instanceof RedisRefusal ? faultOf(error) : error;
      if (!isFault(failure, "unreachable") && !isFault(failure, "notFound")) throw failure;
    }
  }
  throw failure;
}

function descriptionOf({ server, counted }: RedisQuery): string {
  const what = "stream" in counted ? counted.stream : counted.keys.join(" and ");
  const group = "stream" in counted && counted.group !== undefined ? ` for ${counted.group}` : "";
  return `${JSON.stringify(what)}${group && JSON.stringify(group).slice(1, -1)} of ${server.peers.map(peerText).join(",")}`;
}

function throwFault(error: unknown): never {
  throw error instanceof RedisRefusal ? faultOf(error) : error;
}

function faultOf({ code, detail }: RedisRefusal): Fault {
  switch (code) {
    case "NOAUTH":
      return new Fault("unauthorized", "the server asks for a credential: name a secret (NOAUTH)");
    case "WRONGPASS":
      return new Fault("unauthorized", "the server does not accept the credential of the source's secret (WRONGPASS)");
    case "NOPERM":
      return new Fault("forbidden", "the server does not allow this user the command or the key (NOPERM)");
    case "WRONGTYPE":
      return badAnswer("the key holds another type (WRONGTYPE)");
    case "MOVED":
    case "ASK":
      return badAnswer(`the server is a member of a cluster: set topology to cluster (${code})`);
    default:
      return badAnswer(`the server answers with an error: ${foreignWords(`${code} ${detail}`)}`);
  }
}

/** "3999 10.0.0.1:6381"; no host means the member's own. Undefined: no redirection. */
export function readMoved({ code, detail }: RedisRefusal, from: Peer): Peer | undefined {
  if (code !== "MOVED" && code !== "ASK") return undefined;
  const [, host = "", port = ""] = /^\d{1,5} (.*):(\d{1,5})$/s.exec(detail) ?? [];
  if (port === "") return undefined;
  return { host: host === "" || host === "?" ? from.host : hostName(host), port: Number(port) };
}

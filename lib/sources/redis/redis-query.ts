import { type AddressRules, onThisMachine } from "../../net/address";
import type { SourceQuery } from "../../model/ports/sources";
import {
  type ValueOf,
  type Values,
  type ChoiceField,
  type NumberOrField,
  type ParameterFields,
  type TextForm,
  countField,
  textField,
} from "../fields/field";
import { readParameters } from "../fields/read-fields";
import { readTcpServer, type TcpServer } from "../network/tcp-server";
import { fillInAll } from "../network/template";
import { badParameter } from "../parameters";
import { tcpFields, variableFields } from "../fields/server-fields";

/** Commands are length-prefixed, so a key may hold any byte. */
const anyName: TextForm = { expected: "a name of at most 500 characters", pattern: /^[^\0]{1,500}$/ };

const topology: ChoiceField<"single" | "cluster" | "sentinel"> = {
  type: "choice",
  values: ["single", "cluster", "sentinel"],
  expected: "single, cluster or sentinel",
};

const type: ChoiceField<"list" | "set" | "sortedSet" | "hash"> = {
  type: "choice",
  values: ["list", "set", "sortedSet", "hash"],
  expected: "list, set, sortedSet or hash",
};

const count: ChoiceField<"length" | "backlog" | "pending" | "lag"> = {
  type: "choice",
  values: ["length", "backlog", "pending", "lag"],
  expected: "length, backlog, pending or lag",
};

const absent: NumberOrField<"error"> = { type: "numberOr", word: "error", expected: "a number or error" };

export const redisFields = {
  key: textField(anyName),
  type,
  processing: textField(anyName),
  stream: textField(anyName),
  group: textField(anyName),
  count,
  absent,
  database: countField(0, 1_000_000),
  topology,
  master: textField({ expected: "the name that the sentinels have for the master", pattern: /^[\w.-]{1,200}$/ }),
  ...tcpFields,
  ...variableFields,
} satisfies ParameterFields;

export interface RedisQuery {
  readonly server: TcpServer;
  readonly topology: ValueOf<typeof redisFields.topology>;
  /** The sentinels' name of the master. */
  readonly master: string | undefined;
  readonly database: number;
  readonly counted: CountedKeys | CountedStream;
  /** Undefined: a missing key, stream or group is an error. */
  readonly absent: number | undefined;
}

export interface CountedKeys {
  /** Their sizes are summed. */
  readonly keys: readonly string[];
  /** Undefined: any. */
  readonly type: ValueOf<typeof redisFields.type> | undefined;
}

export interface CountedStream {
  readonly stream: string;
  readonly group: string | undefined;
  readonly count: ValueOf<typeof redisFields.count>;
}

export const redisSchemes = { secure: "rediss", plain: "redis" };

/** @throws Fault "badEntry". */
export function parseRedisQuery({ parameters }: SourceQuery, addresses: AddressRules = onThisMachine): RedisQuery {
  const values = readParameters(redisFields, parameters);
  const { topology = "single", master, database = 0, absent, vars, "var.<name>": ownVars } = values;
  const server = readTcpServer(values, { schemes: redisSchemes, addresses });
  if (topology === "single" && server.peers.length > 1)
    throw badParameter("topology", "cluster or sentinel with several addresses", topology);
  if (topology === "cluster" && database !== 0) throw badParameter("database", "none with a cluster", database);
  if ((topology === "sentinel") !== (master !== undefined))
    throw badParameter("master", "the master's name with topology sentinel, and only then", master);
  const { key, processing, stream, group } = values;
  const named = { ...(key && { key }), ...(processing && { processing }), ...(stream && { stream }) };
  const filled = fillInAll({ ...named, ...(group && { group }) }, { ...vars, ...ownVars });
  return {
    server,
    topology,
    master,
    database,
    counted: counted({ ...values, ...filled }),
    absent: absent === "error" ? undefined : (absent ?? (stream === undefined ? 0 : undefined)),
  };
}

type Counted = Pick<Values<typeof redisFields>, "key" | "type" | "processing" | "stream" | "group" | "count">;

function counted({ key, type, processing, stream, group, count }: Counted): CountedKeys | CountedStream {
  if ((key === undefined) === (stream === undefined)) throw badParameter("key", "key or stream, and not both", key);
  if (key !== undefined) {
    if (group !== undefined) throw badParameter("group", "a stream that the group reads", group);
    if (count !== undefined) throw badParameter("count", "a stream whose entries it counts", count);
    return { keys: processing === undefined ? [key] : [key, processing], type };
  }
  if (type !== undefined) throw badParameter("type", "a key of that type, not a stream", type);
  if (processing !== undefined) throw badParameter("processing", "a key beside it, not a stream", processing);
  const what = count ?? (group === undefined ? "length" : "backlog");
  if ((what === "length") !== (group === undefined))
    throw badParameter(
      "count",
      group === undefined ? "length without a group" : "backlog, pending or lag of a group",
      what,
    );
  return { stream: stream ?? "", group, count: what };
}

import {
  type ChoiceField,
  type NumberOrField,
  type ParameterFields,
  type TextForm,
  countField,
  textField,
} from "../fields/field";
import { tcpFields } from "../fields/tcp-fields";
import { variableFields } from "../fields/web-fields";

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

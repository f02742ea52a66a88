import { type AddressRules, onThisMachine } from "../../net/address";
import type { SourceQuery } from "../../model/ports/sources";
import { readParameters, requiredText } from "../fields/read-fields";
import { readTcpServer, type TcpServer } from "../network/tcp-server";
import { fillIn } from "../network/template";
import { badParameter } from "../parameters";
import { type NumberOrField, type ParameterFields, textField } from "../fields/field";
import { tcpFields, variableFields } from "../fields/server-fields";

const absent: NumberOrField<"error"> = { type: "numberOr", word: "error", expected: "a number or error" };

/** PostgreSQL cuts longer names. */
const name = { expected: "a name of at most 63 characters", pattern: /^[^\0]{1,63}$/ };

export const postgresqlFields = {
  query: textField({
    expected: "one SQL query of at most 4,000 characters, such as SELECT count(*) FROM jobs",
    pattern: /^[^\0]{1,4000}$/,
  }),
  database: textField(name),
  user: textField(name),
  absent,
  ...tcpFields,
  ...variableFields,
} satisfies ParameterFields;

export interface PostgresqlQuery {
  readonly server: TcpServer;
  readonly database: string;
  readonly user: string | undefined;
  readonly text: string;
  readonly bound: readonly string[];
  /** Undefined: no row, or NULL, is an error. */
  readonly absent: number | undefined;
}

export const postgresqlSchemes = { secure: "postgresql", plain: "postgresql+plain" };

/** @throws Fault "badEntry". */
export function parsePostgresqlQuery(
  { parameters }: SourceQuery,
  addresses: AddressRules = onThisMachine,
): PostgresqlQuery {
  const values = readParameters(postgresqlFields, parameters);
  const { user, secret, absent, vars, "var.<name>": ownVars } = values;
  const server = readTcpServer(values, { schemes: postgresqlSchemes, addresses });
  if (server.peers.length > 1) throw badParameter("address", "one host:port", values.address);
  if ((user === undefined) === (secret === undefined))
    throw badParameter("user", "a user without a password, or a secret with the user, and not both", user);
  return {
    server,
    database: requiredText(postgresqlFields, values, "database"),
    user,
    ...bindings(requiredText(postgresqlFields, values, "query"), { ...vars, ...ownVars }),
    absent: absent === "error" ? undefined : absent,
  };
}

/** Strings, names and comments. https://www.postgresql.org/docs/current/sql-syntax-lexical.html */
const quoted = /e'(\\.|[^'\\])*'|'[^']*'|"[^"]*"|\$([a-z_]\w*)?\$(?!\{).*?\$\2\$|--[^\n]*|\/\*.*?\*\//gis;

/** A value is a parameter of the statement, never part of the text. */
function bindings(query: string, values: Readonly<Record<string, string>>) {
  if (/\$\d/.test(query.replace(quoted, "")))
    throw badParameter("query", "placeholders such as ${queue} in place of $1", query);
  const names: string[] = [];
  const text = fillIn(query, {
    parameter: "query",
    values,
    encode(_value, { name }) {
      if (!names.includes(name)) names.push(name);
      return `$${names.indexOf(name) + 1}`;
    },
  });
  return { text, bound: names.map((name) => values[name] ?? "") };
}

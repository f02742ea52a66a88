import { Fault, type FaultKind } from "../../model/fault";

/** By the beginning of an SQLSTATE, the longest first. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const states: readonly (readonly [state: string, kind: FaultKind, what: string])[] = [
  ["25006", "badAnswer", "the query writes, and its transaction is read-only"],
  ["25P02", "badAnswer", "the query ended its transaction"],
  ["3D000", "notFound", "there is no such database"],
  ["42501", "forbidden", "the server does not allow this user the query"],
  ["42601", "badAnswer", "the query is no single SQL statement"],
  ["42883", "badAnswer", "there is no such function, or not for these types: cast a placeholder, as in ${of}::int"],
  ["42P01", "notFound", "there is no such table"],
  ["42P18", "badAnswer", "the type of a placeholder is not known: cast it, as in ${of}::text"],
  ["42703", "notFound", "there is no such column"],
  ["53300", "throttled", "the server has no connection left"],
  ["57014", "badAnswer", "the query took longer than its time"],
  ["57P0", "unreachable", "the server is starting or stopping"],
  ["08P01", "badAnswer", "the query does not have its placeholders as parameters: they are without quotes"],
  ["08", "unreachable", "the connection failed"],
  ["22", "badAnswer", "a value does not fit where the query uses it"],
  ["42", "badAnswer", "the query is not right"],
];

/**
 * A server's error. Its text is foreign, and may repeat values, so messages do not show it. Undefined: the error is not
 * the server's.
 */
export function faultOfState(error: unknown): Fault | undefined {
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  if (typeof code !== "string" || typeof severity !== "string" || !/^[0-9A-Z]{5}$/.test(code)) return undefined;
  const [, kind, what] = states.find(([state]) => code.startsWith(state)) ?? [];
  return new Fault(kind ?? "badAnswer", `${what ?? "the server answers with an error"} (SQLSTATE ${code})`);
}

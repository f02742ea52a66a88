import { Client, DatabaseError } from "pg";
import type { Socket } from "node:net";
import { unlessAborted } from "../../async/within-time";
import { Fault, errorText, isFault, type FaultKind } from "../../model/fault";
import type { SecretForm } from "../../secrets/secret-credential";
import { boundAnswers, faultOfSocket, opened, openSocket, startTls } from "../network/tcp";
import type { Opening, Protocol, TcpSession, TcpCredential } from "../network/tcp-client";
import { badAnswer } from "../network/as-reading";

export interface PostgresqlCredential extends TcpCredential {
  readonly username: string;
  readonly login: { readonly password: string } | { readonly iam: string };
}

export interface PostgresqlSession extends TcpSession {
  /** Rejects with a Fault. */
  query(statement: Statement): Promise<ResultTable>;
}

export interface ResultTable {
  readonly columns: number;
  readonly rows: readonly (readonly (string | null)[])[];
}

interface Statement {
  readonly text: string;
  readonly bound: readonly string[];
  readonly timeoutMs: number;
}

export interface Destination {
  readonly database: string;
  readonly user: string | undefined;
}

/** For users who log in by IAM. */
export type IamPassword = (
  peer: Opening<unknown>["peer"],
  user: { readonly username: string; readonly region: string },
) => Promise<string>;

const maxBytes = 2 * 1024 * 1024;

export const postgresqlCredential: SecretForm<PostgresqlCredential> = {
  members: '"username", and "password", "iam" (the region of RDS), or "certificate" and "key"',
  read({ username, password, iam, certificate, key }) {
    const isPair = isText(certificate) && isText(key);
    if (!isText(username) || ((certificate !== undefined || key !== undefined) && !isPair)) return undefined;
    const pair = isPair && { certificate: { certificate, key } };
    const hidden = [password, key].filter(isText);
    if (isText(iam) && password === undefined && /^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d{1,2}$/.test(iam))
      return { username, login: { iam }, hidden, ...pair };
    if (iam !== undefined || !(isText(password) || (isPair && password === undefined))) return undefined;
    return { username, login: { password: password ?? "" }, hidden, ...pair };
  },
};

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function postgresqlProtocol(iamPassword: IamPassword): Protocol<PostgresqlCredential, PostgresqlSession> {
  return {
    form: postgresqlCredential,
    async open(opening) {
      const { peer, credential, signal } = opening;
      const { database, user } = JSON.parse(peer.role ?? "{}") as Destination;
      const password = await passwordOf(opening, iamPassword);
      const socket = await connect(opening);
      let broken: Fault | undefined;
      socket.once("error", (error) => {
        broken ??= faultOfSocket(error);
      });
      const beginCall = boundAnswers(socket, maxBytes);
      const client = clientOver(socket, { database, user: credential?.username ?? user ?? "", password });
      const faultOf = (error: unknown): Fault =>
        broken ?? faultOfState(error) ?? new Fault("unreachable", `the connection broke: ${errorText(error)}`);
      try {
        await unlessAborted(client.connect(), signal);
      } catch (error) {
        socket.destroy();
        if (signal.aborted) throw error;
        throw refusedLogin(error, credential !== undefined) ?? faultOf(error);
      }
      return {
        socket,
        isUsable: () => broken === undefined && !socket.destroyed,
        destroy: () => void socket.destroy(),
        async query({ text, bound, timeoutMs }) {
          beginCall();
          try {
            // Poolers of connections keep no setting of a transaction.
            await client.query(`BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}`);
            // "extended" allows exactly one statement, also without values.
            const config = { text, values: [...bound], rowMode: "array", queryMode: "extended" } as const;
            const { rows, fields } = await client.query<(string | null)[]>(config);
            await client.query("ROLLBACK");
            return { rows, columns: fields.length };
          } catch (error) {
            // Its transaction may still be open.
            socket.destroy();
            throw isFault(error) ? error : faultOf(error);
          }
        },
      };
    },
  };
}

export function roleOf(destination: Destination): string {
  return JSON.stringify(destination);
}

async function passwordOf(opening: Opening<PostgresqlCredential>, iam: IamPassword): Promise<string> {
  const { peer, credential, through } = opening;
  if (credential === undefined) return "";
  const { username, login } = credential;
  if ("password" in login) return login.password;
  if (through !== undefined) throw new Fault("badEntry", "expected a secret with a password beside via, got iam");
  return await iam(peer, { username, region: login.iam });
}

const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** PostgreSQL begins TLS on request, over a connection without it. */
async function connect({ tls, ...opening }: Opening<PostgresqlCredential>): Promise<Socket> {
  const { peer, signal } = opening;
  const socket = await openSocket(peer, { ...opening, tls: undefined }, signal);
  if (tls === undefined) return socket;
  try {
    const answer = new Promise<string>((resolve, reject) => {
      socket.once("data", (chunk: Buffer) => resolve(chunk.toString("latin1")));
      socket.once("error", (error) => reject(faultOfSocket(error)));
      socket.once("close", () => reject(new Fault("unreachable", "the server closed the connection")));
    });
    socket.write(sslRequest);
    const said = await unlessAborted(answer, signal);
    // Bytes behind the answer came before TLS, and would count as protected.
    if (said !== "S") throw badAnswer(said === "N" ? "the server has no TLS" : "expected TLS, got something else");
    socket.pause();
    return await opened(startTls(socket, peer, tls), "secureConnect", signal);
  } catch (error) {
    socket.on("error", () => undefined);
    socket.destroy();
    throw error;
  }
}

function clientOver(
  socket: Socket,
  { database, user, password }: { readonly database: string; readonly user: string; readonly password: string },
): Client {
  // The library connects its socket.
  socket.connect = () => {
    setImmediate(() => socket.emit("connect"));
    return socket;
  };
  const client = new Client({
    stream: () => socket,
    ssl: false,
    database,
    user,
    // A function, so that no PGPASSWORD or .pgpass of this machine goes to an entry's host.
    password: () => password,
    application_name: "ebb",
    types: { getTypeParser: () => (text: string) => text },
  });
  client.on("error", () => undefined);
  return client;
}

/** Undefined: the login was not what failed. */
function refusedLogin(error: unknown, hasCredential: boolean): Fault | undefined {
  const state = stateOf(error);
  const isRefused = error instanceof DatabaseError ? state?.startsWith("28") : /^SASL/.test(errorText(error));
  if (isRefused !== true) return undefined;
  const what = hasCredential ? "the credential of the source's secret" : "this user without a secret";
  return new Fault("unauthorized", `the server does not accept ${what}${state === undefined ? "" : ` (${state})`}`);
}

/** Five characters. A server may send any text in their place. */
function stateOf(error: unknown): string | undefined {
  if (!(error instanceof DatabaseError)) return undefined;
  return error.code !== undefined && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** By prefix, the longest first. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const states: readonly (readonly [state: string, kind: FaultKind, what: string])[] = [
  ["25006", "badAnswer", "the query writes, and its transaction is read-only"],
  ["25P02", "badAnswer", "the query ended its transaction"],
  ["3D000", "notFound", "there is no such database"],
  ["42501", "forbidden", "the server does not allow this user the query"],
  ["42601", "badAnswer", "the query has a syntax error, or more than one SQL statement"],
  ["42883", "badAnswer", "there is no such function, or not for these types: cast a placeholder, as in ${of}::int"],
  ["42P01", "notFound", "there is no such table"],
  ["42P18", "badAnswer", "the type of a placeholder is not known: cast it, as in ${of}::text"],
  ["42703", "notFound", "there is no such column"],
  ["53300", "throttled", "the server has no connection left"],
  ["57014", "badAnswer", "the query took longer than its time"],
  ["57P0", "unreachable", "the server is starting or stopping"],
  [
    "08P01",
    "badAnswer",
    "the query does not have its placeholders as parameters (they are without quotes), or pgbouncer pools by statement: let it pool by transaction",
  ],
  ["08", "unreachable", "the connection failed"],
  ["22", "badAnswer", "a value does not fit where the query uses it"],
  ["42", "badAnswer", "the query is not right"],
];

/** Without the server's text, which may repeat values. Undefined: not the server's error. */
function faultOfState(error: unknown): Fault | undefined {
  if (!(error instanceof DatabaseError)) return undefined;
  const state = stateOf(error);
  const [, kind, what] = states.find(([prefix]) => state?.startsWith(prefix)) ?? [];
  const shown = state === undefined ? "" : ` (SQLSTATE ${state})`;
  return new Fault(kind ?? "badAnswer", `${what ?? "the server answers with an error"}${shown}`);
}

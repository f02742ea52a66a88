import { once } from "../../async/shared";
import type { MetricSource, ReadContext } from "../../model/ports/sources";
import { badAnswer, asReading } from "../network/as-reading";
import { type SourceNetwork, timeoutOf } from "../network/network";
import { peerText, type Peer } from "../network/peer";
import { openTcpClient } from "../network/tcp-client";
import { decimalOf, quantityOf } from "../parameters";
import { parsePostgresqlQuery, type PostgresqlQuery } from "./postgresql-query";
import { postgresqlProtocol, roleOf, type ResultTable } from "./postgresql-session";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4, type SignatureV4Init } from "@smithy/signature-v4";
import { Sha256 } from "../../aws/sha256";
import type { EpochMs } from "../../k8s/time";

type ReadCredentials = (region: string) => Promise<Extract<SignatureV4Init["credentials"], { accessKeyId: string }>>;

/** RDS accepts a token for 15 minutes. */
const expiresIn = 900;

/** Leaves time for the statement's error to arrive. */
const statementShare = 0.8;

export function openPostgresqlSource(network: SourceNetwork, credentials: ReadCredentials): MetricSource {
  const protocol = postgresqlProtocol((peer, user) => rdsToken(peer, user, { credentials, now: network.now() }));
  const connect = openTcpClient(protocol, network);

  return {
    keepMs: () => 0,
    open(context) {
      const numbers = once<number>();
      return {
        read: (query) =>
          asReading("postgresql", query, context, async () => {
            const parsed = parsePostgresqlQuery(query, network.addresses);
            const failureKey = JSON.stringify(parsed);
            const value = await numbers(failureKey, () =>
              queryNumber(context, parsed, { failureKey, priority: query.priority }),
            );
            return [{ value: quantityOf(value), labels: {} }];
          }),
      };
    },
  };

  function queryNumber(
    context: ReadContext,
    { server, database, user, text, bound, absent }: PostgresqlQuery,
    { failureKey, priority }: { readonly failureKey: string; readonly priority: number | undefined },
  ): Promise<number> {
    const description = `database ${JSON.stringify(database)} of ${peerText(server.peers[0])}`;
    const peer = { ...server.peers[0], role: roleOf({ database, user }) };
    return connect(context, server, { description, failureKey, priority }, async (withConnection) => {
      const timeoutMs = timeoutOf(server, context) * statementShare;
      const table = await withConnection(peer, (session) => session.query({ text, bound, timeoutMs }));
      const value = oneValue(table);
      if (value !== null) return numberOf(value);
      if (absent !== undefined) return absent;
      throw badAnswer(
        `the query gives ${table.rows.length === 0 ? "no row" : "NULL"}; set absent if that means a number`,
      );
    });
  }
}

/** Null: no row, or NULL. */
function oneValue({ columns, rows }: ResultTable): string | null {
  if (columns !== 1) throw badAnswer(`expected one column, got ${columns || "none: it is no query"}`);
  if (rows.length > 1) throw badAnswer(`expected one row, got ${rows.length}: let the query say sum()`);
  return rows[0]?.[0] ?? null;
}

function numberOf(text: string): number {
  const number = decimalOf(text);
  if (number !== undefined && Number.isFinite(number)) return number;
  throw badAnswer("expected a finite number from the query, got something else");
}

/** https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.IAMDBAuth.Connecting.html */
export async function rdsToken(
  { host, port }: Peer,
  { username, region }: { readonly username: string; readonly region: string },
  { credentials, now }: { readonly credentials: ReadCredentials; readonly now: EpochMs },
): Promise<string> {
  const signer = new SignatureV4({
    service: "rds-db",
    region,
    credentials: await credentials(region),
    sha256: Sha256,
  });
  const request = new HttpRequest({
    method: "GET",
    protocol: "https:",
    hostname: host,
    port,
    path: "/",
    query: { Action: "connect", DBUser: username },
    headers: { host: `${host}:${port}` },
  });
  const { query = {} } = await signer.presign(request, { expiresIn, signingDate: new Date(now) });
  const pairs = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  return `${host}:${port}/?${pairs.join("&")}`;
}

/** RFC 3986, as SigV4 requires. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

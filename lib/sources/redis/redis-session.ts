import { Redis, ReplyError } from "ioredis";
import type { Socket } from "node:net";
import { unlessAborted } from "../../async/within-time";
import { Fault, errorText } from "../../model/fault";
import type { SecretForm } from "../../secrets/secret-credential";
import { boundAnswers, faultOfSocket, openSocket } from "../network/tcp";
import type { Opening, Protocol, TcpSession, TcpCredential } from "../network/tcp-client";

export interface RedisCredential extends TcpCredential {
  readonly login?: Login | undefined;
  /** Sentinels have users of their own. */
  readonly sentinelLogin?: Login | undefined;
}

interface Login {
  readonly username?: string;
  readonly password: string;
}

export type Reply = string | number | null | readonly Reply[];

export interface RedisSession extends TcpSession {
  /** Rejects with the server's RedisRefusal, or with a Fault if there is no answer. */
  call(command: readonly [string, ...string[]], database?: number): Promise<Reply>;
}

/** A server's text is foreign, and may repeat the command. */
export class RedisRefusal extends Error {
  constructor(
    readonly code: string,
    /** Another member: "3999 10.0.0.1:6381". Else the server's words. */
    readonly detail: string,
  ) {
    super(code);
    this.name = "RedisRefusal";
  }
}

const maxBytes = 2 * 1024 * 1024;

export const redisCredential: SecretForm<RedisCredential> = {
  members: '"password" and perhaps "username", "sentinelPassword" and "sentinelUsername", "certificate" and "key"',
  none: { login: undefined, sentinelLogin: undefined, hidden: [] },
  read({ username, password, sentinelUsername, sentinelPassword, certificate, key }) {
    const login = readLogin(username, password);
    const sentinelLogin = readLogin(sentinelUsername, sentinelPassword);
    const isPair = isText(certificate) && isText(key);
    if (login === null || sentinelLogin === null) return undefined;
    if ((certificate !== undefined || key !== undefined) && !isPair) return undefined;
    if (login === undefined && sentinelLogin === undefined && !isPair) return undefined;
    const hidden = [password, sentinelPassword, key].filter(isText);
    return { login, sentinelLogin, hidden, ...(isPair && { certificate: { certificate, key } }) };
  },
};

/** Null: not in this form. */
function readLogin(username: unknown, password: unknown): Login | undefined | null {
  if (username === undefined && password === undefined) return undefined;
  if (!isText(password) || (username !== undefined && !isText(username))) return null;
  return { password, ...(username !== undefined && { username }) };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export const redisProtocol: Protocol<RedisCredential, RedisSession> = {
  form: redisCredential,
  async open(opening) {
    const { peer, credential, signal } = opening;
    const session = await start(opening);
    try {
      const login = peer.role === "sentinel" ? credential?.sentinelLogin : credential?.login;
      if (login !== undefined) {
        const { username, password } = login;
        await unlessAborted(session.call(["AUTH", ...(username === undefined ? [] : [username]), password]), signal);
      }
      return session;
    } catch (error) {
      session.destroy();
      throw error instanceof RedisRefusal ? notAccepted(error) : error;
    }
  },
};

/** Redis answers ERR where no password is set. */
function notAccepted({ code }: RedisRefusal): Fault {
  return new Fault("unauthorized", `the server does not accept the credential of the source's secret (${code})`);
}

async function start(opening: Opening<RedisCredential>): Promise<RedisSession> {
  const { peer, signal } = opening;
  const socket = await openSocket(peer, opening, signal);
  const beginCall = boundAnswers(socket, maxBytes);
  let broken: Fault | undefined;
  socket.once("error", (error) => {
    broken ??= faultOfSocket(error);
  });
  const client = clientOver(socket);
  let database = 0;
  const isUsable = () => broken === undefined && !socket.destroyed && client.status === "ready";

  async function send(command: readonly [string, ...string[]]): Promise<Reply> {
    const [name, ...parameters] = command;
    beginCall();
    try {
      return (await client.call(name, ...parameters)) as Reply;
    } catch (error) {
      if (broken !== undefined) throw broken;
      if (error instanceof ReplyError) throw refusalOf(error as Error);
      throw new Fault("unreachable", socket.destroyed ? "the connection broke within the answer" : errorText(error));
    }
  }

  await unlessAborted(client.connect(), signal).catch((error: unknown) => {
    socket.destroy();
    throw signal.aborted ? error : (broken ?? new Fault("unreachable", errorText(error)));
  });
  return {
    socket,
    isUsable,
    destroy() {
      socket.destroy();
      client.disconnect();
    },
    async call(command, wanted = database) {
      if (wanted !== database) {
        await send(["SELECT", String(wanted)]);
        database = wanted;
      }
      return await send(command);
    },
  };
}

function clientOver(socket: Socket): Redis {
  class Connector {
    connect = () => Promise.resolve(socket);
    disconnect = () => void socket.destroy();
    check = () => true;
  }
  const client = new Redis({
    Connector: Connector as never,
    lazyConnect: true,
    protocol: 2,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableReadyCheck: false, // it sends INFO, which a user may not be allowed
    enableOfflineQueue: false,
    disableClientInfo: true,
  });
  client.on("error", () => undefined);
  return client;
}

function refusalOf({ message }: Error): RedisRefusal {
  const [, code = "ERR", detail = ""] = /^([A-Z]{2,30})(?: (.*))?$/s.exec(message) ?? ["", "ERR", message];
  return new RedisRefusal(code, detail);
}

import type { Socket } from "node:net";
import type { EpochMs } from "../../k8s/time";

export interface TcpSession {
  readonly socket: Socket;
  isUsable(): boolean;
  destroy(): void;
}

export interface Keeping {
  readonly credential: unknown;
  readonly keepMs: number;
}

interface IdleSession<One> {
  readonly session: One;
  readonly credential: unknown;
  readonly usedAt: EpochMs;
  readonly expiry: NodeJS.Timeout;
}

/** The idle connections to one server, by peer: opened with one credential, and unused for at most `keepMs`. */
export interface IdleSessions<One> {
  take(peer: string, keeping: Keeping): One | undefined;
  /** Destroys the session if `most` are idle. */
  keep(peer: string, session: One, keeping: Keeping): void;
  drop(peer: string): void;
  dropAll(): void;
}

export function openIdleSessions<One extends TcpSession>(most: number, now: () => EpochMs): IdleSessions<One> {
  const idle = new Map<string, IdleSession<One>[]>();

  function drop(peer: string): void {
    for (const { session, expiry } of idle.get(peer) ?? []) {
      clearTimeout(expiry);
      session.destroy();
    }
    idle.delete(peer);
  }

  return {
    take(peer, { credential, keepMs }) {
      for (let found = idle.get(peer)?.pop(); found !== undefined; found = idle.get(peer)?.pop()) {
        clearTimeout(found.expiry);
        const { session, usedAt } = found;
        // The timer stops while a function is frozen.
        if (found.credential === credential && now() - usedAt <= keepMs && session.isUsable()) {
          session.socket.ref();
          return session;
        }
        session.destroy();
      }
      return undefined;
    },
    keep(peer, session, { credential, keepMs }) {
      const list = idle.get(peer) ?? [];
      if (list.length >= most) return session.destroy();
      const expiry = setTimeout(() => {
        list.splice(list.indexOf(kept), 1);
        session.destroy();
      }, keepMs).unref();
      const kept = { session, credential, usedAt: now(), expiry };
      session.socket.unref();
      list.push(kept);
      idle.set(peer, list);
    },
    drop,
    dropAll() {
      for (const peer of [...idle.keys()]) drop(peer);
    },
  };
}

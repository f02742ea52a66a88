import { bodyMs } from "./answer-reader";
import { connect, type AwsConnection, type Exchange, reset, timeout } from "./connection";
import { idleConnectionMs } from "../../async/idle-connection";

export interface PostLimits {
  /** Until TCP and TLS are set up. */
  readonly connectMs: number;
  /** From the start until the answer's head. */
  readonly answerMs: number;
  readonly maxBytes: number;
  readonly maxSockets: number;
}

export interface Connections {
  /** On an idle connection, or on a new one. Returns a function that gives up. */
  start(exchange: Exchange): (why: Error) => void;
  close(): void;
}

const mostIdle = 32;

interface Task extends Exchange {
  connection?: AwsConnection;
  /** When it was sent on a reused connection; undefined on a new one. */
  reusedAt: number | undefined;
  timer?: NodeJS.Timeout;
  isOver: boolean;
}

export function openConnections(origin: URL, { connectMs, answerMs, maxBytes, maxSockets }: PostLimits): Connections {
  const open = new Set<AwsConnection>();
  const idle: { readonly connection: AwsConnection; readonly since: number }[] = [];
  const waiting: Task[] = [];
  let session: Buffer | undefined;

  function settle(task: Task): boolean {
    if (task.isOver) return false;
    task.isOver = true;
    clearTimeout(task.timer);
    return true;
  }

  function fail(task: Task, error: Error): void {
    if (!settle(task)) return;
    task.connection?.destroy(error);
    task.failed(error);
  }

  function limit(task: Task, ms: number, what: string): void {
    clearTimeout(task.timer);
    task.timer = setTimeout(() => fail(task, timeout(`${what} within ${ms} ms`)), ms);
  }

  /**
   * A load balancer that forgot one silent connection forgot the others: only those that answered since this request
   * was sent are alive.
   */
  function suspectIdle({ reusedAt }: Task): void {
    if (reusedAt === undefined) return;
    const dead = idle.filter(({ since }) => since <= reusedAt);
    for (const { connection } of dead) connection.destroy(reset("another one like it was dead"));
  }

  function next(): void {
    const now = Date.now();
    while (idle[0] !== undefined && Math.abs(now - idle[0].since) > idleConnectionMs)
      idle.shift()?.connection.destroy(reset("it was idle for too long"));
    while (idle.length > 0 || open.size < maxSockets) {
      const task = waiting.shift();
      if (task === undefined) break;
      if (task.isOver) continue;
      const reused = idle.pop();
      task.reusedAt = reused && now;
      send(task, reused?.connection ?? openOne());
    }
    while (idle.length > mostIdle) idle.shift()?.connection.destroy(reset("enough others are idle"));
  }

  function send(task: Task, connection: AwsConnection): void {
    task.connection = connection;
    let hasBegun = false;
    connection.send({
      request: task.request,
      maxBytes: task.maxBytes,
      began() {
        hasBegun = true;
        limit(task, bodyMs, "no end");
      },
      answered(answer) {
        if (connection.isOpen) {
          idle.push({ connection, since: Date.now() });
          next();
        }
        if (settle(task)) task.answered(answer);
      },
      failed(error) {
        if (!hasBegun) suspectIdle(task);
        if (settle(task)) task.failed(error);
      },
    });
  }

  function openOne(): AwsConnection {
    const connection = connect(origin, {
      connectMs,
      maxBytes,
      session,
      keepSession: (cached) => (session = cached),
      closed(lost) {
        open.delete(lost);
        const at = idle.findIndex((one) => one.connection === lost);
        if (at >= 0) idle.splice(at, 1);
        next();
      },
    });
    open.add(connection);
    return connection;
  }

  return {
    start(exchange) {
      const task: Task = { ...exchange, reusedAt: undefined, isOver: false };
      limit(task, answerMs, "no answer");
      waiting.push(task);
      next();
      return (why) => {
        // The caller's own reason says nothing about the connection.
        task.reusedAt = undefined;
        fail(task, why);
      };
    },
    close() {
      for (const task of waiting.splice(0)) fail(task, reset("the client was closed"));
      for (const connection of [...open]) connection.destroy(reset("the client was closed"));
    },
  };
}

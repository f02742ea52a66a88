import type { Socket } from "node:net";

/** What a broker of the double knows. Offsets are numbers, as texts where they are not to be numbers. */
export interface Log {
  /** By topic, its partitions. */
  readonly topics: Readonly<Record<string, readonly Partition[]>>;
  /** By topic, what the group committed of each partition. -1: nothing. */
  readonly committed?: Readonly<Record<string, readonly number[]>>;
  /** The error code of these requests' answers, by API key. */
  readonly errors?: Readonly<Record<number, number>>;
  /** Accepts only this password, by SASL PLAIN. */
  readonly password?: string;
  readonly refused?: () => void;
  /** The newest metadata request that it understands. */
  readonly metadataVersion?: number;
  /** The address of the leaders and of the coordinator. */
  readonly port: number;
  readonly host?: string;
}

export interface Partition {
  readonly start: number;
  readonly end: number;
  readonly leader?: number;
}

export const keys = {
  listOffsets: 2,
  metadata: 3,
  offsetFetch: 9,
  findCoordinator: 10,
  handshake: 17,
  apis: 18,
  authenticate: 36,
};

/** API keys, and the one version of each that the double speaks. */
const versions: Readonly<Record<number, number>> = {
  [keys.listOffsets]: 1,
  [keys.metadata]: 4,
  [keys.offsetFetch]: 2,
  [keys.findCoordinator]: 0,
  [keys.handshake]: 1,
  [keys.apis]: 0,
  [keys.authenticate]: 0,
};

const int = (bits: 8 | 16 | 32) => (value: number) => {
  const bytes = Buffer.alloc(bits / 8);
  bytes.writeIntBE(value, 0, bits / 8);
  return bytes;
};
const [int8, int16, int32] = [int(8), int(16), int(32)];
const int64 = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
};
const string = (text: string) => Buffer.concat([int16(Buffer.byteLength(text)), Buffer.from(text)]);
const nothing = int16(-1);
const list = (items: readonly Buffer[]) => Buffer.concat([int32(items.length), ...items]);

/** Reads a request's body. */
function reader(bytes: Buffer) {
  let at = 0;
  const number = (size: number) => bytes.readIntBE((at += size) - size, size);
  const text = (length: number) => bytes.subarray(at, (at += length)).toString();
  const read = {
    int16: () => number(2),
    int32: () => number(4),
    int64: () => bytes.readBigInt64BE((at += 8) - 8),
    string: () => text(number(2)),
    bytes: () => text(number(4)),
    list: <T>(item: () => T): T[] => Array.from({ length: Math.max(0, number(4)) }, item),
  };
  return read;
}

export interface ReceivedRequest {
  readonly key: number;
  readonly client: string;
  readonly body: Buffer;
}

/** Answers each request of a connection as a broker of this log does. `instead` answers in its place. */
export function serve(
  socket: Socket,
  log: () => Log,
  { asked = [], instead }: { asked?: ReceivedRequest[]; instead?: (key: number) => Buffer | undefined } = {},
): void {
  let received = Buffer.alloc(0);
  socket.on("data", (piece: Buffer) => {
    received = Buffer.concat([received, piece]);
    while (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) {
      const size = received.readInt32BE(0);
      const request = received.subarray(4, 4 + size);
      received = received.subarray(4 + size);
      const [key, correlation, clientLength] = [request.readInt16BE(0), request.subarray(4, 8), request.readInt16BE(8)];
      const body = request.subarray(10 + Math.max(0, clientLength));
      asked.push({ key, client: request.toString("utf8", 10, 10 + Math.max(0, clientLength)), body });
      const other = instead?.(key);
      if (other !== undefined) {
        socket.write(other);
        continue;
      }
      const answer = Buffer.concat([correlation, answerTo(key, body, log())]);
      socket.write(Buffer.concat([int32(answer.length), answer]));
    }
  });
}

function answerTo(key: number, body: Buffer, log: Log): Buffer {
  const { topics, committed = {}, errors = {}, host = "127.0.0.1", port, password } = log;
  const error = int16(errors[key] ?? 0);
  const read = reader(body);
  const broker = Buffer.concat([int32(1), string(host), int32(port)]);
  switch (key) {
    case keys.apis: {
      const own = { ...versions, [keys.metadata]: log.metadataVersion ?? versions[keys.metadata] ?? 0 };
      const all = Object.entries(own).map(([api, version]) =>
        Buffer.concat([int16(Number(api)), int16(version), int16(version)]),
      );
      return Buffer.concat([error, list(all), int32(0)]);
    }
    case keys.handshake:
      return Buffer.concat([error, list([string("PLAIN")])]);
    case keys.authenticate: {
      const [, , given] = read.bytes().split("\0");
      if (given === password) return Buffer.concat([int16(0), nothing, int32(0)]);
      log.refused?.();
      return Buffer.concat([int16(58), string(`no: ${given}`), int32(0)]);
    }
    case keys.findCoordinator:
      return Buffer.concat([error, broker]);
    case keys.metadata: {
      const names = read.list(read.string);
      const found = (names.length === 0 ? Object.keys(topics) : names).map((name) => {
        const partitions = (topics[name] ?? []).map(({ leader = 1 }, partition) =>
          Buffer.concat([int16(leader < 0 ? 5 : 0), int32(partition), int32(leader), list([]), list([])]),
        );
        return Buffer.concat([int16(name in topics ? (errors[key] ?? 0) : 3), string(name), int8(0), list(partitions)]);
      });
      return Buffer.concat([int32(0), list([Buffer.concat([broker, nothing])]), nothing, int32(1), list(found)]);
    }
    case keys.offsetFetch: {
      read.string();
      const asked = read.list(() => ({ topic: read.string(), partitions: read.list(read.int32) }));
      const all = Object.entries(committed).map(([topic, offsets]) => ({ topic, partitions: [...offsets.keys()] }));
      const found = (asked.length === 0 ? all : asked).map(({ topic, partitions }) => {
        const each = partitions.map((partition) =>
          Buffer.concat([int32(partition), int64(committed[topic]?.[partition] ?? -1), nothing, error]),
        );
        return Buffer.concat([string(topic), list(each)]);
      });
      return Buffer.concat([list(found), error]);
    }
    default: {
      read.int32();
      const found = read.list(() => {
        const topic = read.string();
        const each = read.list(() => {
          const [partition, timestamp] = [read.int32(), read.int64()];
          const { start = 0, end = 0 } = topics[topic]?.[partition] ?? {};
          const offset = timestamp === -1n ? end : start;
          return Buffer.concat([int32(partition), error, int64(-1), int64(offset)]);
        });
        return Buffer.concat([string(topic), list(each)]);
      });
      return list(found);
    }
  }
}

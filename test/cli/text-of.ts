import type { PassThrough } from "node:stream";

/** What was written since the last call. Since Node 26, one read returns one piece. */
export function textOf(stream: PassThrough): string {
  const pieces: Buffer[] = [];
  for (let piece = stream.read() as Buffer | null; piece !== null; piece = stream.read() as Buffer | null)
    pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

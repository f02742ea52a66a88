import { PassThrough } from "node:stream";

interface Size {
  columns: number;
  rows: number;
}

/** What a terminal shows: the sequences that a full screen needs, and none else. */
export function fakeTerminal(size: Size = { columns: 80, rows: 24 }) {
  const stdout = Object.assign(new PassThrough({ highWaterMark: 2 ** 30 }), { isTTY: true, ...size });
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode: (isRaw: boolean) => void (stdin.isRaw = isRaw),
  });
  const modes = new Map([
    ["?1049", false],
    ["?25", true],
    ["?7", true],
  ]);
  let lines: string[] = [];
  let row = 0;
  let plain = "";
  let frames = 0;

  function take(text: string): void {
    frames += 1;
    for (const [part] of text.matchAll(/\p{Cc}\[[?\d;]*[A-Za-z]|[^\p{Cc}]+|\p{Cc}/gu)) {
      const [, given = "", command = ""] = /^\p{Cc}\[([?\d;]*)([A-Za-z])$/u.exec(part) ?? [];
      if (command === "h" || command === "l") modes.set(given, command === "h");
      else if (command === "H") row = Number(given.split(";")[0]) - 1;
      else if (command === "K") lines[row] = "";
      else if (command === "m") continue;
      else if (command !== "" || /^\p{Cc}/u.test(part)) throw new Error(`the terminal got ${JSON.stringify(part)}`);
      else if (modes.get("?1049") === true) lines[row] = (lines[row] ?? "") + part;
      else plain += part;
    }
  }
  stdout.on("data", (chunk: Buffer) => take(chunk.toString()));

  return {
    stdin,
    stdout,
    shown: () => Array.from({ length: stdout.rows }, (_, index) => (lines[index] ?? "").trimEnd()),
    plain: () => plain,
    frames: () => frames,
    press: (keys: string) => void stdin.write(keys),
    resize(to: Size) {
      lines = [];
      Object.assign(stdout, to);
      stdout.emit("resize");
    },
    /** As a shell wants it back. */
    isAsBefore: () =>
      modes.get("?1049") === false && modes.get("?25") === true && modes.get("?7") === true && !stdin.isRaw,
  };
}

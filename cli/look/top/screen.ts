import type { CliEnvironment } from "../../shell/environment";

export type ScreenKey = "end" | "up" | "down" | "pageUp" | "pageDown" | "first" | "last";

export interface Screen {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Leaves a frame out while the terminal is behind. */
  draw(lines: readonly string[]): void;
  /** Leaves the terminal as it was. */
  close(): void;
}

interface ScreenEvents {
  readonly onKey: (key: ScreenKey) => void;
  readonly onResize: () => void;
  /** The terminal is gone. */
  readonly onGone: () => void;
}

const esc = "\x1b[";
/** The alternate screen, no cursor, no line wrap. */
const enter = `${esc}?1049h${esc}?25l${esc}?7l`;
const leave = `${esc}?7h${esc}?25h${esc}?1049l`;

const deadly = ["SIGTERM", "SIGHUP"] as const;

export function openScreen(
  { stdin, stdout }: Pick<CliEnvironment, "stdin" | "stdout">,
  { onKey, onResize, onGone }: ScreenEvents,
): Screen {
  let isOpen = true;
  let before: readonly string[] = [];
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const onData = (data: Buffer | string) => keysIn(String(data)).forEach(onKey);
  const readsKeys = stdin.isTTY === true;

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    stdout.write(leave);
    stdout.off("resize", resized).off("error", onGone);
    for (const signal of deadly) process.off(signal, endBy);
    if (!readsKeys) return;
    stdin.off("data", onData).off("end", onGone).off("error", onGone);
    stdin.setRawMode?.(false);
    stdin.pause();
  }

  function resized(): void {
    before = [];
    onResize();
  }

  /** Its default action, which the handler replaced. */
  function endBy(signal: NodeJS.Signals): void {
    close();
    process.kill(process.pid, signal);
  }

  stdout.on("resize", resized).on("error", onGone);
  for (const signal of deadly) process.once(signal, endBy);
  if (readsKeys) {
    stdin.setRawMode?.(true);
    stdin.on("data", onData).on("end", onGone).on("error", onGone);
    stdin.resume();
  }
  stdout.write(enter);
  return {
    size,
    draw(given) {
      if (!isOpen || stdout.writableNeedDrain) return;
      const lines = Array.from({ length: size().rows }, (_, index) => given[index] ?? "");
      // Cleared first: at the last column, that would take its character away.
      const changed = lines.map((line, index) =>
        line === before[index] ? "" : `${esc}${index + 1};1H${esc}2K${line}`,
      );
      before = lines;
      stdout.write(changed.join(""));
    },
    close,
  };
}

const keys: Readonly<Record<string, ScreenKey>> = {
  ...{ q: "end", Q: "end", "\x03": "end" },
  ...{ k: "up", j: "down", " ": "pageDown", g: "first", G: "last" },
  ...{ "\x1b[A": "up", "\x1bOA": "up", "\x1b[B": "down", "\x1bOB": "down" },
  ...{ "\x1b[5~": "pageUp", "\x1b[6~": "pageDown" },
  ...{ "\x1b[H": "first", "\x1bOH": "first", "\x1b[F": "last", "\x1bOF": "last" },
};

function keysIn(data: string): readonly ScreenKey[] {
  const pressed = data.match(/\p{Cc}\[[0-9;]*[A-Za-z~]|\p{Cc}O[A-Za-z]|[^]/gu) ?? [];
  return pressed.flatMap((key) => (Object.hasOwn(keys, key) ? (keys[key] ?? []) : []));
}

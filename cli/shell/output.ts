import { styleText } from "node:util";
import { escapeLine } from "../../lib/k8s/escape-terminal";
import type { Colour } from "./global-options";
import type { OutputStream, CliEnvironment } from "./environment";

export type Style = Parameters<typeof styleText>[0];

/** Results go to stdout, everything else to stderr. All but `write` escape control characters. */
export interface Output {
  print(text: string): void;
  /** Without escaping or a line end. */
  write(text: string): void;
  note(...lines: readonly string[]): void;
  /** In kubectl's form, `Warning: …`. */
  warn(...lines: readonly string[]): void;
  /** If stdout has colours. */
  style(style: Style, text: string): string;
  /** Undefined: no terminal. */
  readonly terminal: { readonly columns: number } | undefined;
  /** After a second, shows on a terminal's stderr what it waits for. */
  during<T>(what: string, work: Promise<T>): Promise<T>;
}

const timeoutMs = 1000;

export function openOutput(environment: Pick<CliEnvironment, "env" | "stdout" | "stderr">, colour?: Colour): Output {
  const { env, stdout, stderr } = environment;
  const painter = (screen: OutputStream) =>
    isColoured(screen, env, colour) ? paint : (_: Style, text: string) => text;
  const onStderr = painter(stderr);
  return {
    print: (text) => void stdout.write(`${escapeLine(text.replace(/\n$/, ""))}\n`),
    write: (text) => void stdout.write(text),
    note: (...lines) => void stderr.write(`${lines.map(escapeLine).join("\n")}\n`),
    warn: (...lines) => void stderr.write(`${onStderr("yellow", "Warning:")} ${lines.map(escapeLine).join("\n")}\n`),
    style: painter(stdout),
    get terminal() {
      return stdout.isTTY === true ? { columns: columnsOf(stdout, env) } : undefined;
    },
    async during(what, work) {
      if (stderr.isTTY !== true) return work;
      const line = `${what} …`;
      let shown = false;
      const timer = setTimeout(() => {
        shown = true;
        stderr.write(line);
      }, timeoutMs);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
        if (shown) stderr.write("\r\u001b[K");
      }
    },
  };
}

/** COLUMNS overrides the terminal, as in POSIX. A terminal of unknown width has 0. */
function columnsOf({ columns }: OutputStream, env: CliEnvironment["env"]): number {
  const asked = Number(env["COLUMNS"]);
  return (Number.isInteger(asked) && asked > 0 ? asked : columns) || 80;
}

function paint(style: Style, text: string): string {
  return styleText(style, text, { validateStream: false });
}

/** https://no-color.org: a non-empty NO_COLOR disables colour; the command line overrides it. */
function isColoured(screen: OutputStream, env: CliEnvironment["env"], colour: Colour = "auto"): boolean {
  if (colour !== "auto") return colour === "always";
  return screen.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

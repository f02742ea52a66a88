import { styleText } from "node:util";
import { escapeLine } from "../../lib/k8s/escape-terminal";
import type { Colour } from "./global-options";
import type { OutputStream, CliEnvironment } from "./environment";

export type Style = Parameters<typeof styleText>[0];

/** A verb's output: results on stdout, everything else on stderr. All but `write` escape what a terminal acts on. */
export interface Output {
  /** A result as one line. */
  print(text: string): void;
  /** A result as it is: a document, or a text whose parts are escaped. Adds no line end. */
  write(text: string): void;
  /** Anything but a result: lines on stderr. */
  note(...lines: readonly string[]): void;
  /** `Warning: …` on stderr, in kubectl's form. Several lines: as one warning. */
  warn(...lines: readonly string[]): void;
  /** In colour if stdout is to have it. */
  style(style: Style, text: string): string;
  /** Whether stdout is a terminal, and its width now. */
  readonly terminal: { readonly columns: number } | undefined;
  /** Waits for the work; after a second, says on a terminal's stderr what it waits for. */
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

/** COLUMNS overrides the terminal, as POSIX has it. A terminal that does not know its width says 0. */
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

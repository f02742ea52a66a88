import { basename } from "node:path";

export interface Invocation {
  /** What the command is called in help and examples. */
  readonly name: string;
  readonly args: readonly string[];
}

/**
 * What a process's arguments ask for. The file is found under three names: `ebb`; `kubectl-ebb`, which kubectl runs for `kubectl ebb …`; and
 * `kubectl_complete-ebb`, which kubectl's completion asks.
 */
export function invocation([, file = "", ...args]: readonly string[]): Invocation {
  const called = basename(file).replace(/\.\w+$/, "");
  if (called === "kubectl-ebb") return { name: "kubectl ebb", args };
  if (called === "kubectl_complete-ebb") return { name: "kubectl ebb", args: ["complete", "--", ...args] };
  return { name: "ebb", args };
}

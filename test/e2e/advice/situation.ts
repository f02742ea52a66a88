import type { Row } from "../../../lib/model/advice";
import { advice, adviceOfKinds } from "../../../cli/shell/advice/table";
import type { Scene } from "./scene";

/** A row of the table of advice, and how a person comes to read it. */
export interface Situation {
  /** Its name in the table; for the advice of a kind of source, "source KIND". */
  readonly row: string;
  /** Which of several situations of the row. */
  readonly when?: string;
  /** Makes the fault. */
  readonly make: (scene: Scene) => Promise<Followed>;
}

export interface Followed {
  /** Each of these commands prints the advice, and no longer does once it was followed. */
  readonly printing: readonly string[];
  /** Types the printed commands, and does what the words say. Default: types the commands as they are. */
  readonly follow?: (commands: readonly string[]) => Promise<void>;
  /** What else is well then. Default: `ebb doctor` finds nothing to do. */
  readonly well?: () => Promise<void>;
}

/** Every row, by the name that situations use. */
export const rows: Readonly<Record<string, Pick<Row<never>, "words">>> = {
  ...advice,
  ...Object.fromEntries(Object.entries(adviceOfKinds).map(([kind, row]) => [`source ${kind}`, row])),
};

/** Where a text says what the row says: its words in order, with whatever the case puts between them. */
export function saidIn(text: string, row: string): string | undefined {
  const words = (rows[row]?.words ?? []).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`${words.join("[^\\n]*?")}[^\\n]*`).exec(text)?.[0];
}

/** The commands of an advice: what it has between backquotes. */
export function commandsIn(said: string): readonly string[] {
  return [...said.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command);
}

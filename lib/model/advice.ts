/** A program with its words, as a person types it. The one who prints it adds what the person's shell needs. */
export type Program =
  | { readonly program: "other"; readonly words: readonly string[] }
  /** `onTable`: it works on a table, so it needs the options that name one. */
  | { readonly program: "ebb"; readonly words: readonly string[]; readonly onTable: boolean }
  /** `onTable`: on ebb's own table. */
  | { readonly program: "aws"; readonly words: readonly string[]; readonly onTable?: true }
  /** `cluster`: the name of the CLUSTER entry that kubectl must talk to. */
  | { readonly program: "kubectl"; readonly cluster: string; readonly words: readonly string[] };

/** Programs that a pipe connects; most often one. */
export interface Command {
  readonly pipe: readonly Program[];
}

/** What a person can do: words, and commands that can be typed exactly as they are printed. */
export interface Advice {
  readonly parts: readonly (string | Command)[];
}

type Slot = string | Command | Advice;

/** One row of the table of advice. `words`: what it always says, between what depends on the case. */
export interface Row<Of> {
  (...of: Args<Of>): Advice;
  readonly words: readonly string[];
}

type Args<Of> = [Of] extends [void] ? [] : [of: Of];

/** row<Hpa>`fix its entry: ${(hpa) => ebb("edit", …)}` */
export function row<Of = void>(words: readonly string[], ...slots: readonly ((of: Of) => Slot)[]): Row<Of> {
  const advice = (...[of]: Args<Of>): Advice => ({
    parts: words
      .flatMap((text, index) => [text, ...partsOf(slots[index]?.(of as Of) ?? "")])
      .filter((part) => part !== ""),
  });
  return Object.assign(advice, { words: [...words] });
}

function partsOf(slot: Slot): Advice["parts"] {
  return typeof slot === "object" && "parts" in slot ? slot.parts : [slot];
}

/** The printer adds the flags that name the table. */
export function ebb(...words: readonly string[]): Command {
  return { pipe: [{ program: "ebb", words, onTable: true }] };
}

/** A verb of ebb that works on no table. */
export function ebbAlone(...words: readonly string[]): Command {
  return { pipe: [{ program: "ebb", words, onTable: false }] };
}

/** The printer adds the context of the cluster. */
export function kubectl(cluster: string, ...words: readonly string[]): Command {
  return { pipe: [{ program: "kubectl", cluster, words }] };
}

/** The printer adds the region and the profile of ebb's table, unless the words name a region. */
export function aws(...words: readonly string[]): Command {
  return { pipe: [{ program: "aws", words }] };
}

/** A verb of `aws dynamodb` on ebb's table, which the printer names. */
export function awsOnTable(...words: readonly string[]): Command {
  return { pipe: [{ program: "aws", words: ["dynamodb", ...words], onTable: true }] };
}

/** Any other program; its words are printed as they are, apart from quotes. */
export function typed(...words: readonly string[]): Command {
  return { pipe: [{ program: "other", words }] };
}

export function pipe(...commands: readonly Command[]): Command {
  return { pipe: commands.flatMap((command) => command.pipe) };
}

/** " (`one` and `another`)", or nothing. */
export function inBrackets(...commands: readonly (Command | undefined)[]): Advice {
  const known = commands.filter((command) => command !== undefined);
  const listed = known.flatMap((command, index) => (index === 0 ? [command] : [" and ", command]));
  return { parts: known.length === 0 ? [] : [" (", ...listed, ")"] };
}

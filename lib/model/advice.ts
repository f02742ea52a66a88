/** Words as a person types them. */
export type Program =
  | { readonly program: "other"; readonly words: readonly string[] }
  | { readonly program: "ebb"; readonly words: readonly string[]; readonly onTable: boolean }
  | { readonly program: "aws"; readonly words: readonly string[]; readonly onTable?: true }
  | { readonly program: "kubectl"; readonly cluster: string; readonly words: readonly string[] };

export interface Command {
  readonly pipe: readonly Program[];
}

export interface Advice {
  readonly parts: readonly (string | Command)[];
}

type Slot = string | Command | Advice;

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

export function ebbAlone(...words: readonly string[]): Command {
  return { pipe: [{ program: "ebb", words, onTable: false }] };
}

/** The printer adds the cluster's context. */
export function kubectl(cluster: string, ...words: readonly string[]): Command {
  return { pipe: [{ program: "kubectl", cluster, words }] };
}

/** The printer adds the table's region and profile, unless the words name a region. */
export function aws(...words: readonly string[]): Command {
  return { pipe: [{ program: "aws", words }] };
}

/** The printer names the table. */
export function awsOnTable(...words: readonly string[]): Command {
  return { pipe: [{ program: "aws", words: ["dynamodb", ...words], onTable: true }] };
}

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

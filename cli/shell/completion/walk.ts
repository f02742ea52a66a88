import type { Command, Option } from "commander";

/** Where on a command line the cursor is. */
export interface Cursor {
  readonly command: Command;
  /** The operands so far. */
  readonly operands: readonly string[];
  /** The options that were given with a value, by their long name. */
  readonly given: Readonly<Record<string, string>>;
  /** The option whose value is at the cursor. */
  readonly option?: Option;
}

/** Reads the words before the cursor as the program would: subcommands, options with their values, operands. */
export function walk(program: Command, words: readonly string[]): Cursor {
  let command = program;
  let pending: Option | undefined;
  const operands: string[] = [];
  const given: Record<string, string> = {};
  for (const word of words) {
    const subcommand = operands.length === 0 ? subcommandOf(command, word) : undefined;
    if (pending !== undefined) {
      given[pending.name()] = word;
      pending = undefined;
    } else if (word.startsWith("-") && word !== "-") {
      const [flag = "", value] = word.split(/=(.*)/s);
      const option = findOption(command, flag);
      if (option !== undefined && value !== undefined) given[option.name()] = value;
      else if (option?.required === true) pending = option;
    } else if (subcommand !== undefined) command = subcommand;
    else operands.push(word);
  }
  return { command, operands, given, ...(pending !== undefined && { option: pending }) };
}

export function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => flag === long || flag === short);
}

function subcommandOf(command: Command, word: string): Command | undefined {
  return command.commands.find((one) => one.name() === word || one.aliases().includes(word));
}

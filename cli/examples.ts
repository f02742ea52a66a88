import type { AddHelpTextContext } from "commander";

/**
 * The Examples section of a verb's --help, for `addHelpText("after", …)`: what each is for, and its command line, which begins
 * with "ebb". Called as a kubectl plugin, the command lines begin with "kubectl ebb".
 */
export function examples(
  list: readonly (readonly [what: string, commandLine: string])[],
): (context: AddHelpTextContext) => string {
  return ({ command }) => {
    let root = command;
    while (root.parent !== null) root = root.parent;
    const shown = list.map(([what, line]) => `  # ${what}\n  ${line.replace(/(^|\| )ebb /g, `$1${root.name()} `)}\n`);
    return `\nExamples:\n${shown.join("\n")}`;
  };
}

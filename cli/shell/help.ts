import type { AddHelpTextContext } from "commander";

/** A kubectl plugin shows "ebb" as "kubectl ebb". */
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

export const helpTopics = `
The table: --table, EBB_TABLE or the current context of
~/.config/ebb/config.yaml (EBB_CONFIG). Without any of these, ebb uses the table
that \`ebb start\` keeps in --directory (.ebb, or .ebb/clusters/NAME).

Exit codes: 0 done; 1 failed, only partly done, or a wrong command line;
130 interrupted. \`ebb diff\` exits as kubectl's does: 0 no differences,
1 differences, more than 1 failed.
Results are on stdout, everything else on stderr. ebb sends no telemetry.
`;

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Command } from "commander";
import { addDocumentOptions, type DocumentOptions } from "../shell/input/document-options";
import { failure } from "../shell/failure";
import { chooseEntries } from "./annotate/choose-entries";
import { queriesOf } from "./documents/query-files";
import { tableVerb } from "../shell/table-verb";
import type { CliEnvironment } from "../shell/environment";
import { editEntry } from "./edit-entry";

type Env = Readonly<Record<string, string | undefined>>;

/** @throws Failure when the editor fails */
export async function runEditor(file: string, env: Env): Promise<void> {
  const editor = [env["EBB_EDITOR"], env["KUBE_EDITOR"], env["VISUAL"], env["EDITOR"]].find(Boolean) ?? "vi";
  // For EDITOR='code --wait'.
  const child = spawn("/bin/sh", ["-c", `${editor} "$0"`, file], { stdio: "inherit" });
  process.on("SIGINT", ignore);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw failure(`there was a problem with the editor "${editor}"`);
  } finally {
    process.off("SIGINT", ignore);
  }
}

function ignore(): void {}

export function editCommand(environment: CliEnvironment): Command {
  return tableVerb<DocumentOptions>(environment, {
    name: "edit",
    summary: "Change a cluster, an HPA or a metric source in your editor.",
    description:
      "Open a cluster, an hpa or a source in your editor (EBB_EDITOR, KUBE_EDITOR, VISUAL or EDITOR), and write what you save.",
    arguments: [["[target...]", "TYPE NAME…, or TYPE/NAME…"]],
    options: addDocumentOptions,
    examples: [
      ["An HPA", "ebb edit hpa web -n shop"],
      ["What a file names, one object after the other, as the table has it", "ebb edit -f hpa.yaml"],
      ["A cluster, with another editor", "EBB_EDITOR='code --wait' ebb edit cluster prod"],
    ],
    async run(session, line) {
      const queries = await queriesOf(session, line);
      if (queries.some(({ names }) => names === undefined)) throw failure("expected TYPE NAME or TYPE/NAME");
      const open = (file: string) => runEditor(file, environment.env);
      let code = 0;
      for (const query of queries) {
        const { entries, missing } = await chooseEntries(session, query, {});
        for (const entry of entries) code = (await editEntry(entry, { ...session, open })) || code;
        for (const name of missing) session.out.note(name);
        if (missing.length > 0) code = 1;
      }
      return code;
    },
  });
}

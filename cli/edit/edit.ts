import { spawn } from "node:child_process";
import { once } from "node:events";
import { Command } from "commander";
import { failure } from "../failure";
import { addGlobalOptions } from "../global-options";
import { examples } from "../help";
import { chooseEntries } from "../marks/choose-entries";
import { parseTargets } from "../resources/parse-targets";
import { withSession } from "../session";
import type { Surroundings } from "../surroundings";
import { editEntry } from "./edit-entry";

type Env = Readonly<Record<string, string | undefined>>;

/** Opens a file in the user's editor and waits until it closes. @throws Failure when the editor fails */
export async function runEditor(file: string, env: Env): Promise<void> {
  const editor = [env["EBB_EDITOR"], env["KUBE_EDITOR"], env["VISUAL"], env["EDITOR"]].find(Boolean) ?? "vi";
  // The shell parses an editor with arguments, such as EDITOR='code --wait'.
  const child = spawn("/bin/sh", ["-c", `${editor} "$0"`, file], { stdio: "inherit" });
  // Ctrl-C within the editor is the editor's.
  process.on("SIGINT", ignore);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw failure(`there was a problem with the editor "${editor}"`);
  } finally {
    process.off("SIGINT", ignore);
  }
}

function ignore(): void {}

/** `ebb edit`: an entry in the user's editor. */
export function editCommand(surroundings: Surroundings): Command {
  const command = new Command("edit")
    .summary("Change a cluster, an HPA or a metric source in your editor.")
    .description(
      "Open a cluster, an hpa or a source in your editor (EBB_EDITOR, KUBE_EDITOR, VISUAL or EDITOR), and write what you save.",
    )
    .argument("<target...>", "TYPE NAME, or TYPE/NAME")
    .addHelpText(
      "after",
      examples([
        ["An HPA", "ebb edit hpa web -n shop"],
        ["A cluster, with another editor", "EBB_EDITOR='code --wait' ebb edit cluster prod"],
      ]),
    );
  return addGlobalOptions(command).action((args: readonly string[], _options: unknown, self: Command) =>
    withSession(surroundings, self, async (session) => {
      const [target, ...more] = parseTargets(args, "edit");
      if (target?.names?.length !== 1 || more.length > 0) throw failure("expected one TYPE NAME or TYPE/NAME");
      const { entries, missing } = await chooseEntries(session, target, {});
      const [entry] = entries;
      if (entry === undefined) throw failure(missing.join("\n"));
      const open = (file: string) => runEditor(file, surroundings.env);
      return await editEntry(entry, { entries: session.entries, out: session.out, open });
    }),
  );
}

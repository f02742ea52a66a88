import { spawn } from "node:child_process";
import { once } from "node:events";
import { failure } from "../failure";

type Env = Readonly<Record<string, string | undefined>>;

/** Opens a file in the user's editor and waits until it is closed. @throws Failure when there is none, or it fails */
export async function runEditor(file: string, env: Env): Promise<void> {
  const editor = [env["EBB_EDITOR"], env["KUBE_EDITOR"], env["VISUAL"], env["EDITOR"]].find(Boolean) ?? "vi";
  // An editor may come with arguments, quoted ones among them: the shell's to read.
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

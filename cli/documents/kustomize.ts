import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { failure } from "../failure";

const execute = promisify(execFile);

/** kubectl contains kustomize; ebb runs either of the two. */
const builders = [
  ["kubectl", "kustomize"],
  ["kustomize", "build"],
] as const;

const limits = { timeout: 60_000, maxBuffer: 64 * 1024 * 1024 };

/** What a kustomization renders. @throws Failure when neither kubectl nor kustomize is on the PATH, or it fails */
export async function kustomized(folder: string): Promise<string> {
  for (const [command, verb] of builders) {
    try {
      // A folder named "--help" is no flag.
      return (await execute(command, [verb, "--", folder], { ...limits, env: process.env })).stdout;
    } catch (error) {
      const { code, stderr, message } = error as NodeJS.ErrnoException & { readonly stderr?: string };
      if (code === "ENOENT") continue;
      throw failure(`-k ${folder}: ${command} ${verb} failed: ${(stderr ?? "").trim() || message}`);
    }
  }
  throw failure(`-k ${folder}: needs kubectl or kustomize on the PATH, which has neither`);
}

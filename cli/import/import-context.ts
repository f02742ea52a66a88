import type { Command } from "commander";
import { clusterAnnotation, dryRunAnnotation } from "../../lib/api/annotations";
import { globalOptions } from "../global-options";
import { openOutput } from "../output";
import { type Session, withSession } from "../session";
import { resolveSettings } from "../settings";
import type { Surroundings } from "../surroundings";
import type { ImportOptions } from "./import-options";

/** What an import has at hand. Only one that reads a registered cluster, or applies, needs a table. */
export interface ImportContext extends Pick<Session, "settings" | "out" | "signal" | "now"> {
  readonly env: Surroundings["env"];
  readonly session?: Session;
}

export async function withImportContext(
  surroundings: Surroundings,
  given: { readonly command: Command; readonly needsTable: boolean },
  run: (context: ImportContext) => Promise<number>,
): Promise<void> {
  const { env, now, interrupted: signal } = surroundings;
  if (given.needsTable) {
    return withSession(surroundings, given.command, (session) => run({ ...session, env, session }));
  }
  const options = globalOptions(given.command);
  const settings = await resolveSettings(options, env);
  surroundings.exitWith(await run({ settings, out: openOutput(surroundings, options.color), signal, now, env }));
}

/** What every imported document is annotated with. */
export function importedAnnotations(
  cluster: string | undefined,
  options: ImportOptions,
): Readonly<Record<string, string>> {
  return {
    ...(cluster !== undefined && { [clusterAnnotation]: cluster }),
    ...(options.dryRunFirst === true && { [dryRunAnnotation]: "true" }),
  };
}

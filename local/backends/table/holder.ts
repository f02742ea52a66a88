import { basename, join } from "node:path";
import { isMap } from "../../../lib/k8s/map";
import { readPrivateFile, writePrivateFile } from "../../guard/private-files";

/** The process with a table's files open. LevelDB's lock names nobody, so this is in a file beside it. */
interface Holder {
  readonly pid: number;
  /** Without arguments, which may be private. */
  readonly command: string;
}

const file = "ebb-holder.json";

export async function nameHolder(directory: string, argv: readonly string[] = process.argv): Promise<void> {
  const verb = argv.slice(2).find((argument) => /^[a-z][a-z-]*$/.test(argument));
  const command = verb === undefined ? basename(argv[1] ?? "ebb") : `ebb ${verb}`;
  await writePrivateFile(join(directory, file), JSON.stringify({ pid: process.pid, command } satisfies Holder));
}

/** "process 123 (`ebb get`)"; undefined if that process has ended. */
export async function holderOf(directory: string): Promise<string | undefined> {
  const text = await readPrivateFile(directory, file).catch(() => undefined);
  const holder = text === undefined ? undefined : decode(text);
  return holder !== undefined && isAlive(holder.pid) ? `process ${holder.pid} (\`${holder.command}\`)` : undefined;
}

function decode(text: string): Holder | undefined {
  try {
    const holder: unknown = JSON.parse(text);
    if (!isMap(holder)) return undefined;
    const { pid, command } = holder;
    return Number.isInteger(pid) && typeof command === "string" ? { pid: pid as number, command } : undefined;
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

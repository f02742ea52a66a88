import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { isMap } from "../../../lib/k8s/map";
import { parseKubeconfig } from "../../../lib/cluster/auth/kubeconfig-text";
import { unreadable } from "../input/read-inputs";
import { failure } from "../failure";

type Env = Readonly<Record<string, string | undefined>>;

export function kubeconfigsOf({ KUBECONFIG, HOME }: Env): readonly string[] {
  const named = (KUBECONFIG ?? "").split(delimiter).filter((path) => path !== "");
  return named.length > 0 ? named : [join(HOME || homedir(), ".kube", "config")];
}

/** @throws Failure when no file has the context, or one is unreadable */
export async function kubeconfigWith(context: string | undefined, env: Env): Promise<string> {
  const files = kubeconfigsOf(env);
  const [first = "", ...others] = files;
  if (context === undefined || others.length === 0) return first;
  for (const file of files) if ((await contextsIn(file)).includes(context)) return file;
  throw failure(`no file of KUBECONFIG has the context ${JSON.stringify(context)}: ${files.join(", ")}`);
}

/** An invalid file has no contexts. */
export async function hasContext(context: string, env: Env): Promise<boolean> {
  for (const file of kubeconfigsOf(env)) {
    const contexts = await contextsIn(file).catch((): readonly unknown[] => []);
    if (contexts.includes(context)) return true;
  }
  return false;
}

/** Like kubectl, leaves out missing files. */
async function contextsIn(file: string): Promise<readonly unknown[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unreadable(file, error);
  }
  try {
    const { contexts } = parseKubeconfig(text);
    return Array.isArray(contexts) ? contexts.map((one: unknown) => (isMap(one) ? one["name"] : undefined)) : [];
  } catch (error) {
    throw failure(`${file}: expected a kubeconfig: ${(error as Error).message}`);
  }
}

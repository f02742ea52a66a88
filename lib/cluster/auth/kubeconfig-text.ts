import { isMap } from "../../k8s/map";
import { parseDocument } from "yaml";
import { aliasProblem } from "../../k8s/yaml-aliases";

/**
 * YAML or JSON. The text is secret and the parser's messages quote it, so an error says only the kind and the place of
 * a mistake.
 * @throws Error
 */
export function parseKubeconfig(text: string): Readonly<Record<string, unknown>> {
  const tooMany = aliasProblem(text);
  if (tooMany !== undefined) throw new Error(`invalid YAML (${tooMany})`);
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    const [start] = error.linePos ?? [];
    const where = start === undefined ? "" : ` at line ${start.line}, column ${start.col}`;
    throw new Error(`invalid YAML (${error.code}${where})`);
  }
  const value = valueOf(document);
  if (!isMap(value)) throw new Error("expected a document");
  return value;
}

function valueOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS();
  } catch {
    throw new Error("invalid YAML (an alias that cannot be resolved)");
  }
}

/** Without the names, paths and outputs of plugins that KubeConfig's errors quote. */
export function kubeconfigProblem(error: unknown, otherwise = "a form that ebb cannot read"): string {
  const { message, code } = error as { readonly message?: unknown; readonly code?: unknown };
  if (typeof message === "string" && /^(clusters|users|contexts)\[\d+\](\.[\w-]+)+ is missing$/.test(message))
    return message;
  return typeof code === "string" && /^E[A-Z0-9_]+$/.test(code) ? code : otherwise;
}

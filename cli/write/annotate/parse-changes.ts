import { validateLabelsAndAnnotations } from "../../../lib/k8s/validate/validate-meta";
import { failure } from "../../shell/failure";
import type { MetadataChanges } from "./change-metadata";

export interface MetadataArguments {
  /** TYPE NAME…, or TYPE/NAME…. */
  readonly targets: readonly string[];
  /** By name; null removes one. */
  readonly changes: Readonly<Record<string, string | null>>;
}

/** Reads `TYPE NAME… key=value… key-…`; a key's last value wins. @throws Failure in kubectl's words */
export function parseChanges(
  args: readonly string[],
  field: keyof MetadataChanges,
  mayBeNone: boolean,
): MetadataArguments {
  const isChange = (arg: string) => arg.includes("=") || arg.endsWith("-");
  const first = args.findIndex(isChange);
  const what = field === "labels" ? "label" : "annotation";
  if (first === -1 && mayBeNone) return { targets: args, changes: {} };
  if (first === -1) throw failure(`at least one ${what} update is required`);
  const given = args.slice(first);
  const late = given.find((arg) => !isChange(arg));
  if (late !== undefined) throw failure(`all resources must be specified before ${what} changes: ${late}`);
  const changes = Object.fromEntries(given.map(readChange));
  const set = Object.entries(changes).filter((change): change is [string, string] => change[1] !== null);
  const [wrong] = validateLabelsAndAnnotations({ [field]: Object.fromEntries(set) });
  if (wrong !== undefined) throw failure(wrong.text);
  return { targets: args.slice(0, first), changes };
}

function readChange(arg: string): readonly [string, string | null] {
  const at = arg.indexOf("=");
  return at === -1 ? [arg.slice(0, -1), null] : [arg.slice(0, at), arg.slice(at + 1)];
}

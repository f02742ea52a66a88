import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { closest } from "../../../lib/model/check/closest";

const mostListed = 10;

/** `known`: the namespaces of the chosen clusters' HPAs. */
export function missingNamespace(namespace: string, known: readonly string[]): string | undefined {
  if (known.includes(namespace)) return undefined;
  const words = `no HPA is in namespace ${escapeLine(namespace)}`;
  const meant = closest(namespace, known);
  if (meant !== undefined) return `${words}; did you mean ${escapeLine(meant)}?`;
  const listed = known.slice(0, mostListed).map(escapeLine).join(", ");
  const more = known.length > mostListed ? `, and ${known.length - mostListed} more` : "";
  return known.length === 0 ? `${words}; there is none in any other` : `${words}; there are HPAs in ${listed}${more}`;
}

import { escapeLine } from "../../../lib/k8s/escape-terminal";
import { closest } from "../../../lib/model/check/closest";

const mostListed = 10;

/**
 * For a namespace on the command line that no HPA is in: the one that may be meant, or those that there are. undefined:
 * there are HPAs in it. `known`: the namespaces of all HPAs in the chosen clusters.
 */
export function missingNamespace(namespace: string, known: readonly string[]): string | undefined {
  if (known.includes(namespace)) return undefined;
  const words = `no HPA is in namespace ${escapeLine(namespace)}`;
  const meant = closest(namespace, known);
  if (meant !== undefined) return `${words}; did you mean ${escapeLine(meant)}?`;
  const listed = known.slice(0, mostListed).map(escapeLine).join(", ");
  const more = known.length > mostListed ? `, and ${known.length - mostListed} more` : "";
  return known.length === 0 ? `${words}; there is none in any other` : `${words}; there are HPAs in ${listed}${more}`;
}

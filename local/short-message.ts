const selector =
  /(\(?)&LabelSelector\{MatchLabels:map\[string\]string\{(.*?)\},MatchExpressions:\[\]LabelSelectorRequirement\{((?:LabelSelectorRequirement\{.*?\],\},)*)\},\}(\)?)/g;
const label = /(?<key>[^:]*): (?<value>.*?),(?=[^,:]*: |$)/g;
const requirement = /LabelSelectorRequirement\{Key:(.*?),Operator:(.*?),Values:\[(.*?)\],\},/g;

/** Longer than any message of the HPA's own. */
const longest = 4096;

/**
 * An event's message for a line of a terminal: without the new size, which the line shows, and with selectors as
 * people write them: `external metric sqs(queue=orders) above target`. A text of another form stays as it is.
 */
export function shortMessage(message: string): string {
  if (message.length > longest) return message;
  return message
    .replace(/^New size: \d+; reason: (?=.)/s, "")
    .replaceAll(selector, (...[, open = "", labels = "", requirements = "", close = ""]: readonly string[]) => {
      const pairs = [...labels.matchAll(label)].map(({ groups = {} }) => `${groups["key"]}=${groups["value"]}`);
      const others = [...requirements.matchAll(requirement)].map(([, key = "", operator = "", values = ""]) =>
        requirementText(key, operator, values),
      );
      const text = [...pairs, ...others].join(",");
      return text === "" && open === "(" && close === ")" ? "" : `${open}${text}${close}`;
    })
    .replace(" (percentage of request)", "")
    .replaceAll(/( metric [^\s(]+)\(nil\)/g, "$1");
}

function requirementText(key: string, operator: string, values: string): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  return `${key} ${operator.toLowerCase()} (${values.replaceAll(" ", ",")})`;
}

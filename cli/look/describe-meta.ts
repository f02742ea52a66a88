import { byteLength } from "../../lib/k8s/go-text";
import type { ObjectMeta } from "../../lib/k8s/objects";
import { escapeLine } from "../../lib/k8s/escape-terminal";

const HIDDEN = "kubectl.kubernetes.io/last-applied-configuration";
const LONGEST = 140;
const ZERO_TIME = "Mon, 01 Jan 0001 00:00:00 +0000";

export function describeMeta({ name, namespace, labels, annotations, creationTimestamp }: ObjectMeta): string[] {
  return [
    `Name:\t${escapeLine(name)}`,
    `Namespace:\t${escapeLine(namespace ?? "")}`,
    ...multiline(
      "Labels",
      sorted(labels).map(([key, value]) => escapeLine(`${key}=${value}`)),
    ),
    ...multiline(
      "Annotations",
      sorted(annotations)
        .filter(([key]) => key !== HIDDEN)
        .flatMap(([key, value]) => annotationLines([escapeLine(key), value])),
    ),
    `CreationTimestamp:\t${rfc1123(creationTimestamp)}`,
  ];
}

function sorted(map: Readonly<Record<string, string>> | undefined): [string, string][] {
  return Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

function multiline(title: string, lines: readonly string[]): string[] {
  const [first = "<none>", ...rest] = lines;
  return [`${title}:\t${first}`, ...rest.map((line) => `\t${line}`)];
}

/** Puts a long or multi-line value below its key, with each line cut. */
function annotationLines([key, value]: readonly [string, string]): string[] {
  const text = value.endsWith("\n") ? value.slice(0, -1) : value;
  if (byteLength(key) + byteLength(text) + 2 <= LONGEST && !text.includes("\n")) return [`${key}: ${text}`];
  return [`${key}:`, ...text.split("\n").map((line) => `  ${shorten(line)}`)];
}

/** Cuts by bytes of UTF-8, like kubectl. Half a character becomes an unreadable one. */
function shorten(line: string): string {
  const bytes = new TextEncoder().encode(line);
  if (bytes.length <= LONGEST - 2) return line;
  return `${new TextDecoder().decode(bytes.subarray(0, LONGEST - 2))}...`;
}

/** RFC 1123 with a numeric zone, in UTC: "Sat, 21 Nov 2026 07:25:53 +0000". */
function rfc1123(timestamp: string | undefined): string {
  const at = timestamp === undefined ? NaN : Date.parse(timestamp);
  return Number.isNaN(at) ? ZERO_TIME : new Date(at).toUTCString().replace("GMT", "+0000");
}

import { goJson, byteLength } from "../../lib/k8s/go-text";
import type { alignColumns } from "../shell/print/columns";
import { escapeLine } from "../../lib/k8s/escape-terminal";
import type { ClusterEntry, SourceEntry } from "../../lib/model/entry/entries";
import { defaultOptions, defaultSyncPeriodMs } from "../../lib/model/entry/options";
import type { Found } from "../../lib/read/found";
import type { ObservedReading } from "../../lib/read/source-readings";
import { sinceText } from "../../lib/k8s/human-duration";
import type { EpochMs } from "../../lib/k8s/time";
import type { Entry } from "../../lib/model/ports/store";
import type { ObjectMeta } from "../../lib/k8s/objects";

export function describeLines(lines: readonly string[], align: typeof alignColumns): string {
  const cells = lines.map((line) => {
    const [name = "", ...value] = line.split("\t");
    return `${escapeLine(name)}\t${escapeLine(value.join("\t"))}`;
  });
  const text = align(`${cells.join("\n")}\n`, { minWidth: 0, padding: 2 });
  return text.replace(/ +$/gm, "");
}

export interface ClusterContents {
  readonly hpas: number;
  readonly sources: number;
}

export function describeCluster(
  document: Readonly<Record<string, unknown>>,
  entry: Entry<ClusterEntry>,
  { hpas, sources }: ClusterContents,
): readonly string[] {
  return [
    ...describeMeta({ ...(document["metadata"] as object), name: entry.key }).filter(isNotNamespace),
    ...("invalid" in entry ? [`Invalid:\t${entry.invalid}`] : describeClusterSpec(entry.value.spec)),
    `HPAs:\t${hpas}`,
    `Metric sources:\t${sources}`,
  ];
}

export function isNotNamespace(line: string): boolean {
  return !line.startsWith("Namespace:");
}

function describeClusterSpec({
  endpoint,
  certificateAuthorityData,
  tlsServerName,
  auth,
  options,
}: ClusterEntry["spec"]) {
  const { type, ...authFields } = auth;
  const all = { syncPeriodSeconds: defaultSyncPeriodMs / 1000, ...defaultOptions, ...options };
  return [
    `Endpoint:\t${endpoint ?? "<from the kubeconfig>"}`,
    `Certificate authority:\t${certificateAuthorityData === undefined ? "<system roots>" : "private"}`,
    ...(tlsServerName === undefined ? [] : [`TLS server name:\t${tlsServerName}`]),
    `Auth:\t${type}`,
    ...Object.entries(authFields).map(([field, value]) => `  ${field}:\t${String(value)}`),
    "Options:",
    ...Object.entries(all).map(([field, value]) => `  ${field}:\t${String(value)}`),
  ];
}

export function describeSource(
  { cluster, name: key, object, entry, readings, readAt }: Extract<Found, { type: "sources" }>,
  align: typeof alignColumns,
): string {
  const { metadata } = object as { readonly metadata?: object };
  const [name = "", ...meta] = describeMeta({ ...metadata, name: key }).filter(isNotNamespace);
  const lines = [
    name,
    `Cluster:\t${cluster}`,
    ...meta,
    ...("invalid" in entry ? [`Invalid:\t${entry.invalid}`] : describeSourceSpec(entry.value.spec)),
    readings.length === 0 ? "Readings:\t<none>" : "Readings:",
  ];
  return `${describeLines(lines, align)}${readings.length === 0 ? "" : readingTable({ name: key, readings, now: readAt }, align)}`;
}

const shownReadings = 20;

interface Readings {
  readonly name: string;
  readonly readings: readonly ObservedReading[];
  readonly now: EpochMs;
}

function readingTable({ name, readings, now }: Readings, align: typeof alignColumns): string {
  const rows = readings.slice(0, shownReadings).map(({ hpa, metric, through, value, error, readAt }) => {
    const of = through === undefined ? metric : `${metric} in ${through}`;
    const found = error === undefined ? (value ?? "<unknown>") : `<error> ${error}`;
    return ["", hpa, of, sinceText(readAt, now), found].map(escapeLine).join("\t");
  });
  const more = readings.length - rows.length;
  const head = ["", "HPA", "Metric", "Read", "Value"];
  const lines = [head.join("\t"), ["", ...head.slice(1).map((title) => title.replace(/./g, "-"))].join("\t"), ...rows];
  const table = align(`${lines.join("\n")}\n`, { minWidth: 2, padding: 2 });
  return `${table}${more > 0 ? `  ... and ${more} more: ebb get source ${escapeLine(name)} -o yaml\n` : ""}`;
}

function describeSourceSpec({ kind, parameters = {} }: SourceEntry["spec"]): readonly string[] {
  const lines = Object.entries(parameters).map(
    ([field, value]) => `  ${field}:\t${typeof value === "string" ? value : goJson(value)}`,
  );
  return [`Kind:\t${kind}`, ...(lines.length === 0 ? ["Parameters:\t<none>"] : ["Parameters:", ...lines])];
}

export function describeInvalid(
  place: { readonly namespace: string; readonly name: string },
  errors: readonly string[],
): readonly string[] {
  const [first = "", ...rest] = errors;
  const head = describeMeta(place).filter((line) => /^Name(space)?:/.test(line));
  return [...head, `Invalid:\t${first}`, ...rest.map((error) => `\t${error}`)];
}

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

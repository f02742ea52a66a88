import { type alignColumns } from "../../shell/print/columns";
import { escapeLine } from "../../../lib/k8s/escape-terminal";
import type { PodGroups } from "../../../lib/core/recommend/group-pods";
import type { PodNow, PodOwner, PodsNow } from "./pods-now";

/** The others are ready pods of the target that every metric counts. */
const mostRows = 50;

const words: Readonly<Record<keyof PodGroups, string>> = {
  ready: "counted",
  unready: "not ready yet",
  missing: "without a sample",
  ignored: "deleted or failed",
};

interface Shown {
  readonly target: string;
  readonly align: typeof alignColumns;
}

export function podsTable({ selector, metrics, pods }: PodsNow, { target, align }: Shown): string {
  const head = `${pods.length} ${pods.length === 1 ? "pod matches" : "pods match"} ${selector} now`;
  const failures = metrics.flatMap(({ name, failure }) =>
    failure === undefined ? [] : [`${name} cannot be read: ${failure}`],
  );
  if (pods.length === 0) return `${[head, ...failures].map(escapeLine).join("\n")}\n`;
  const sorted = pods.toSorted((a, b) => Number(isPlain(a)) - Number(isPlain(b)) || (a.name < b.name ? -1 : 1));
  const shown = sorted.slice(0, mostRows);
  const rows = shown.map(({ name, status, owner, isOwn, groups }) => [
    ...[name, status, isOwn === undefined ? "?" : isOwn ? "yes" : "no", ownerText(owner)],
    ...groups.map((group) => (group === undefined ? "unknown" : words[group])),
  ]);
  const columns = ["POD", "STATUS", "OWN", "OWNER", ...metrics.map(({ name }) => name.toUpperCase())];
  const lines = [columns, ...rows].map((cells) => cells.map(escapeLine).join("\t"));
  const hidden = sorted.length - shown.length;
  return `${[
    `${escapeLine(head)}:`,
    "",
    align(lines.join("\n"), { minWidth: 0, padding: 3 }),
    ...(hidden === 0 ? [] : [`and ${hidden} more`]),
    ...[...failures, ...strangers({ selector, pods }, target)].flatMap((text) => ["", escapeLine(text)]),
  ].join("\n")}\n`;
}

function isPlain({ isOwn, groups }: PodNow): boolean {
  return isOwn !== false && groups.every((group) => group === "ready");
}

function ownerText(owner: PodOwner | undefined): string {
  return owner === undefined ? "<none>" : `${owner.kind}/${owner.name}`;
}

function strangers({ selector, pods }: Pick<PodsNow, "selector" | "pods">, target: string): readonly string[] {
  const others = pods.filter(({ isOwn }) => isOwn === false);
  if (others.length === 0) return [];
  const owners = [...new Set(others.map(({ owner }) => (owner === undefined ? "no owner" : ownerText(owner))))].sort();
  const more = owners.length > 3 ? ` and ${owners.length - 3} more` : "";
  const are = others.length === 1 ? "1 pod matches" : `${others.length} pods match`;
  const not = others.length === 1 ? "is not" : "are not";
  return [
    `${are} ${selector} and ${not} of ${target}: ${owners.slice(0, 3).join(", ")}${more}. ` +
      "The HPA treats all pods that match alike, as upstream's does.",
  ];
}

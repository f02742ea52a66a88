import type { HorizontalPodAutoscaler } from "../hpa";
import { alignColumns } from "./align-columns";
import { formatTargets } from "./format-targets";
import { escapeTerminal } from "./escape-terminal";
import { ageOf } from "./human-duration";

/** The columns of `kubectl get hpa`. */
export const getColumns: readonly string[] = ["NAME", "REFERENCE", "TARGETS", "MINPODS", "MAXPODS", "REPLICAS", "AGE"];

/** The cells of one autoscaler, in the order of getColumns. `now` is in milliseconds since the epoch. */
export function getRow({ metadata, spec, status }: HorizontalPodAutoscaler, now: number): readonly string[] {
  return [
    metadata.name,
    `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
    formatTargets(spec.metrics ?? [], status?.currentMetrics ?? []),
    spec.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
    String(spec.maxReplicas),
    String(status?.currentReplicas ?? 0),
    ageOf(metadata.creationTimestamp, now),
  ];
}

/**
 * A table with kubectl's distances, every line ended. A cell of several lines is cut after its first, as kubectl does. Without columns it
 * has no header.
 */
export function formatTable(columns: readonly string[] | undefined, rows: readonly (readonly string[])[]): string {
  const lines = (columns === undefined ? rows : [columns, ...rows]).map(
    (cells) => `${cells.map(oneLine).join("\t")}\n`,
  );
  return alignColumns(lines.join(""), { minWidth: 6, padding: 3 });
}

function oneLine(cell: string): string {
  const end = cell.search(/[\f\n\r]/);
  return escapeTerminal(end === -1 ? cell : `${cell.slice(0, end)}...`);
}

import { brotliCompressSync } from "node:zlib";
import type { RosterHpa } from "../../../lib/model/stored/history";
import type { Item } from "../../../lib/table/items/attributes";

export const roomy = () => ({ left: Infinity });
export const packed = (data: unknown): Item => ({ packed: { B: brotliCompressSync(JSON.stringify(data)) } });
const metric = (label: string) => ({ label, name: "m", type: "External", unit: "value", target: 1 }) as const;
const target = { kind: "Deployment", name: "web" };
/** With a metric for each label. */
export const rosterHpa = (...labels: readonly string[]): RosterHpa => ({
  ...{ target, minReplicas: 0, maxReplicas: 10, metrics: labels.map(metric) },
});

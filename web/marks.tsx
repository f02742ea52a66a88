import { hpaStates, type HpaState } from "../lib/read/page/words";
import type { FleetRow } from "../lib/read/page/fleet-row";
import { shown } from "./context";

/** Colour says who has to act: see app.css. The shape says the same without colour. */
const shapes: Readonly<Record<HpaState, string>> = {
  failing: "M2 2l8 8M10 2l-8 8",
  notOurZero: "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M3 9l6-6",
  atMax: "M1.5 1.5h9M6 10.5V4M3 6.5l3-3l3 3",
  held: "M1.5 6h9M6 1.5v2M6 8.5v2",
  scaling: "M6 1v10M3.5 3.5L6 1l2.5 2.5M3.5 8.5L6 11l2.5-2.5",
  waiting: "M2 6h.01M6 6h.01M10 6h.01",
  dryRun: "M2 2.5h8v7H2zM4.5 6h3",
  paused: "M4 2v8M8 2v8",
  atZero: "M6 2a4 4 0 1 0 0 8a4 4 0 1 0 0-8",
  steady: "M2 6.5l2.8 2.8L10 3.5",
};

export function Mark({ state }: { readonly state: HpaState }) {
  return (
    <svg class="mark" viewBox="0 0 12 12" aria-hidden="true">
      <path d={shapes[state]} />
    </svg>
  );
}

export function StateWord({ state }: { readonly state: HpaState }) {
  return (
    <span class={`state ${state}`} title={hpaStates[state].means}>
      <Mark state={state} />
      {hpaStates[state].label}
    </span>
  );
}

export interface Size {
  readonly size?: number | undefined;
  readonly asks?: number | null | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** From zero to maxReplicas; the tick is what the metrics ask for. */
export function SizeBar({ size, asks, min = 0, max }: Size) {
  if (size === undefined || max === undefined) return <span class="size muted">–</span>;
  const most = Math.max(max, size, 1);
  const percent = (count: number) => `${(Math.min(count, most) / most) * 100}%`;
  const isAsking = typeof asks === "number" && asks !== size;
  const asked = isAsking ? `, the metrics ask for ${asks}` : "";
  return (
    <span class="size" title={`${size} of ${min} to ${max} replicas${asked}`}>
      <span class="count">{size}</span>
      <svg class="bar" aria-hidden="true">
        <rect class="track" width="100%" height="4" y="4" rx="2" />
        <rect class="bounds" x={percent(min)} width={percent(most - min)} height="4" y="4" rx="2" />
        <rect class="fill" width={percent(size)} height="4" y="4" rx="2" />
        {isAsking && asks !== null && <line class="asks" x1={percent(asks)} x2={percent(asks)} y1="0" y2="12" />}
      </svg>
      <span class="range muted">
        {min}–{max}
      </span>
    </span>
  );
}

const sparkMs = 3_600_000;

/** The size in the last hour; nothing where it is unknown. */
export function Spark({ recent, now }: { readonly recent: FleetRow["recent"]; readonly now: number }) {
  if (recent === undefined) return null;
  const most = Math.max(1, ...recent.map(([, size]) => size ?? 0));
  const [x, y] = [
    (at: number) => Math.max(0, 1 - (now - at) / sparkMs) * 88,
    (size: number) => 18 - (size / most) * 15,
  ];
  const path = recent.map(([at, size], index) => {
    const before = recent[index - 1]?.[1] ?? null;
    const end = x(recent[index + 1]?.[0] ?? now).toFixed(1);
    if (size === null) return "";
    return `${before === null ? `M${x(at).toFixed(1)} ` : "V"}${y(size).toFixed(1)}H${end}`;
  });
  const sizes = recent.flatMap(([, size]) => size ?? []);
  const text = sizes.length === 0 ? "unknown" : `${Math.min(...sizes)} to ${most} replicas in the last hour`;
  return (
    <svg class="spark" role="img" aria-label={text} viewBox="0 0 88 20">
      <path d={path.join("").replaceAll(" ", ",")} />
    </svg>
  );
}

export function Problem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p class="problem" role="alert">
      {shown(text)}
    </p>
  );
}

/** How values become places. */
export interface Axis {
  /** With the unit: "slot lag, s" */
  readonly label: string;
  readonly scale: "linear" | "log";
  /** Without them, the values' own. A log axis begins and ends at powers of ten. */
  readonly from?: number;
  readonly to?: number;
}

export interface Scale {
  /** 0 at the axis's beginning, 1 at its end. What is outside is at its nearest end. */
  readonly share: (value: number) => number;
  readonly ticks: readonly number[];
}

/** @throws Error if a log axis would have to show a value that is not positive. */
export function scaleOf(axis: Axis, values: readonly number[]): Scale {
  const least = axis.from ?? values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = axis.to ?? values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!Number.isFinite(least) || !Number.isFinite(most)) throw new Error(`${axis.label}: expected values, got none`);
  return axis.scale === "log" ? logScale(axis.label, least, most) : linearScale(Math.min(0, least), most);
}

function logScale(label: string, least: number, most: number): Scale {
  if (least <= 0) throw new Error(`${label}: expected values above 0 on a log axis, got ${least}`);
  const low = Math.floor(Math.log10(least) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(most) - 1e-9));
  const ticks = Array.from({ length: high - low + 1 }, (_, at) => Number(`1e${low + at}`));
  return { share: (value) => within((Math.log10(Math.max(value, 1e-300)) - low) / (high - low)), ticks };
}

function linearScale(least: number, most: number): Scale {
  const step = stepOf((most - least) / 5 || 1);
  const from = Math.floor(least / step) * step;
  const to = Math.max(from + step, Math.ceil(most / step - 1e-9) * step);
  const ticks = Array.from({ length: Math.round((to - from) / step) + 1 }, (_, at) => round(from + at * step));
  return { share: (value) => within((value - from) / (to - from)), ticks };
}

/** 1, 2 or 5 times a power of ten. */
function stepOf(about: number): number {
  const power = 10 ** Math.floor(Math.log10(about));
  const times = [1, 2, 5, 10].find((each) => each * power >= about - 1e-12) ?? 10;
  return times * power;
}

/** "1.5", "300", "10k", "1M" */
export function shortNumber(value: number): string {
  const units: readonly (readonly [number, string])[] = [[1e9, "G"], [1e6, "M"], [1e3, "k"]]; // prettier-ignore
  const [divisor, suffix] = units.find(([least]) => Math.abs(value) >= least) ?? [1, ""];
  return `${round(value / divisor)}${suffix}`;
}

function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}

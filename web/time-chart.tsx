import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { PartColumn, ShadeTone } from "../lib/read/page/answers";
import type { Span } from "./span";

export interface Line {
  readonly label: string;
  readonly values: PartColumn;
  readonly color: string;
  readonly width?: number;
  readonly dash?: readonly number[];
  readonly filled?: boolean;
}

interface Shaded {
  readonly tone: ShadeTone;
  readonly spans: readonly (readonly [number, number])[];
}

interface Mark {
  readonly at: number;
  /** Absent: at the bottom, for a warning. */
  readonly value?: number | null;
}

interface Drawn {
  readonly span: Span;
  readonly lines: readonly Line[];
  /** Filled between two lines, by their index. */
  readonly bands?: readonly (readonly [upper: number, lower: number])[];
  readonly shades?: readonly Shaded[];
  readonly marks?: readonly Mark[];
  readonly isWhole?: boolean;
  readonly hasTimes: boolean;
}

interface Props extends Drawn {
  readonly height: number;
  readonly label: string;
  /** Under the cursor, of either chart. */
  readonly part: number | undefined;
  readonly onPart: (part: number | undefined) => void;
  readonly onPick: (part: number) => void;
  readonly onZoom: (since: number, until: number) => void;
}

const steps = uPlot.paths.stepped?.({ align: 1 });
const stepped = steps === undefined ? {} : { paths: steps };
const axisWidth = 46;
const rightEdge = 18;
const leastDrag = 8;

export function TimeChart(props: Props) {
  const { lines, height, label, part, span } = props;
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;

  useLayoutEffect(() => {
    const box = place.current;
    if (box === null) return;
    const made = new uPlot(optionsOf(latest, box.clientWidth, height), dataOf(latest.current), box);
    chart.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height }));
    resized.observe(box);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const redraw = () => made.redraw(false);
    scheme.addEventListener("change", redraw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener("change", redraw);
      made.destroy();
    };
  }, [JSON.stringify([lines.map((line) => [line.label, line.color]), height])]);

  useLayoutEffect(() => chart.current?.setData(dataOf(latest.current)), [props.lines, span.since, span.until]);

  useEffect(() => {
    const made = chart.current;
    if (made === undefined || made.over.matches(":hover")) return;
    const at = part === undefined ? undefined : span.since + (part + 0.5) * span.width;
    made.setCursor({ left: at === undefined ? -10 : made.valToPos(at, "x"), top: at === undefined ? -10 : 1 });
  });

  return <div class="chart" ref={place} role="img" aria-label={label} />;
}

/** A part's value holds to its end, the last one's to where nothing more is known. */
function dataOf({ span: { since, width, known }, lines }: Drawn): uPlot.AlignedData {
  const count = (lines[0]?.values ?? []).findIndex((_, index) => since + index * width >= known);
  const cut = (values: PartColumn) => (count < 0 ? values : values.slice(0, count));
  const times = cut(lines[0]?.values ?? []).map((_, index) => since + index * width);
  const columns = lines.map(({ values }) => {
    const kept = cut(values);
    return [...kept, kept.at(-1) ?? null];
  });
  return [[...times, Math.max(known, times.at(-1) ?? since)], ...columns];
}

function optionsOf(latest: { readonly current: Props }, width: number, height: number): uPlot.Options {
  const { lines, bands = [], isWhole = false, hasTimes } = latest.current;
  const partAt = (u: uPlot, left: number) => {
    const { since, width, parts } = latest.current.span;
    return Math.min(parts - 1, Math.max(0, Math.floor((u.posToVal(left, "x") - since) / width)));
  };
  return {
    ...{ width, height, ms: 1, legend: { show: false }, padding: [6, rightEdge, hasTimes ? 0 : 6, 0] },
    scales: {
      x: { time: true, range: () => [latest.current.span.since, latest.current.span.until] },
      y: { range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(1e-9, (high ?? 1) * 1.12) || 1] },
    },
    axes: [
      {
        ...axis,
        show: true,
        size: hasTimes ? 24 : 0,
        values: (_, splits) => (hasTimes ? timesOf(splits) : []),
        gap: 4,
        space: 70,
      },
      {
        ...{ ...axis, size: axisWidth, gap: 6, space: 26 },
        ...(isWhole && { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6] }),
        values: (_, splits) => splits.map(shortNumber),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, color, width: stroke = 1, dash, filled = false }): uPlot.Series => ({
        ...{ label, width: stroke, points: { show: false }, ...stepped },
        stroke: () => colorOf(color),
        ...(dash && { dash: [...dash] }),
        ...(filled && { fill: () => `${colorOf(color)}1a` }),
      })),
    ],
    bands: bands.map(([upper, lower]) => ({ series: [upper + 1, lower + 1], fill: () => `${colorOf("--fill")}2e` })),
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, click: () => undefined } },
    hooks: {
      drawClear: [(u) => drawShades(u, latest.current.shades ?? [])],
      draw: [(u) => drawMarks(u, latest.current.marks ?? [])],
      setCursor: [
        (u) => {
          if (!u.over.matches(":hover")) return;
          const { left = -1 } = u.cursor;
          latest.current.onPart(left < 0 ? undefined : partAt(u, left));
        },
      ],
      setSelect: [
        (u) => {
          const { left, width: dragged } = u.select;
          if (dragged >= leastDrag) latest.current.onZoom(u.posToVal(left, "x"), u.posToVal(left + dragged, "x"));
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      ready: [
        (u) => {
          let pressedAt = 0;
          u.over.addEventListener("mousedown", ({ clientX }) => (pressedAt = clientX));
          u.over.addEventListener("mouseleave", () => latest.current.onPart(undefined));
          u.over.addEventListener("click", ({ clientX, offsetX }) => {
            if (Math.abs(clientX - pressedAt) < leastDrag) latest.current.onPick(partAt(u, offsetX));
          });
        },
      ],
    },
  };
}

const axis: uPlot.Axis = {
  stroke: () => colorOf("--muted"),
  font: "12px system-ui, sans-serif",
  grid: { stroke: () => colorOf("--line"), width: 1 },
  ticks: { show: false },
};

function colorOf(name: string): string {
  return name.startsWith("--") ? getComputedStyle(document.documentElement).getPropertyValue(name).trim() : name;
}

const shadeColors = { broken: "--broken", keeps: "--keeps", asked: undefined, bounds: undefined } as const;

function drawShades(u: uPlot, shades: readonly Shaded[]): void {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.globalAlpha = 0.13;
  for (const { tone, spans } of shades) {
    const color = shadeColors[tone];
    if (color === undefined) continue;
    ctx.fillStyle = colorOf(color);
    for (const [from, until] of spans) {
      const [left, right] = [u.valToPos(from, "x", true), u.valToPos(until, "x", true)];
      ctx.fillRect(left, bbox.top, Math.max(1, right - left), bbox.height);
    }
  }
  ctx.restore();
}

function drawMarks(u: uPlot, marks: readonly Mark[]): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  ctx.save();
  for (const { at, value } of marks) {
    const x = u.valToPos(at, "x", true);
    ctx.beginPath();
    if (value === undefined) {
      const y = bbox.top + bbox.height;
      ctx.moveTo(x - 4 * ratio, y);
      ctx.lineTo(x, y - 7 * ratio);
      ctx.lineTo(x + 4 * ratio, y);
    } else ctx.arc(x, u.valToPos(value ?? 0, "y", true), 3.5 * ratio, 0, 2 * Math.PI);
    ctx.fillStyle = colorOf(value === undefined ? "--broken" : "--text");
    ctx.fill();
    ctx.lineWidth = ratio;
    ctx.strokeStyle = colorOf("--back");
    ctx.stroke();
  }
  ctx.restore();
}

const dayMs = 86_400_000;

function timesOf(splits: readonly number[]): string[] {
  const step = (splits[1] ?? Infinity) - (splits[0] ?? 0);
  const time = new Intl.DateTimeFormat("en-GB", step < 60_000 ? { ...clock, second: "2-digit" } : clock);
  let last = splits[0] === undefined ? "" : days.format(splits[0]);
  return splits.map((at) => {
    const day = days.format(at);
    const isNew = day !== last;
    last = day;
    return step >= dayMs || isNew ? day : time.format(at);
  });
}

const clock: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });

export function shortNumber(value: number): string {
  return compact.format(value);
}

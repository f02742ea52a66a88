import { type Axis, scaleOf, shortNumber } from "./axis";
import { checkSeries, legend, line, picture, place, type Point, text, width } from "./svg";

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  readonly dashed?: boolean;
}

export interface LineChart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** Horizontal lines: "the slot, 15 s". */
  readonly limits?: readonly { readonly name: string; readonly value: number }[];
}

const area = { left: 72, right: width - 24, height: 280 };

/** Lines with a mark at each point. Colour, dashes and the mark's shape tell series apart. */
export function lineChart({ title, x, y, series, limits = [] }: LineChart): string {
  checkSeries(title, series.length);
  const keys = legend(
    series.map(({ name }) => name),
    52,
    (at, left, middle) =>
      `${line(lookOf(series, at), [left, middle], [left + 18, middle])}${mark(at, [left + 9, middle])}`,
  );
  const top = 56 + keys.rows * 20;
  const bottom = top + area.height;
  const points = series.flatMap((one) => one.points);
  const across = scaleOf(
    x,
    points.map(([value]) => value),
  );
  const up = scaleOf(y, [...points.map(([, value]) => value), ...limits.map(({ value }) => value)]);
  const at = ([a, b]: Point): Point => [
    area.left + across.share(a) * (area.right - area.left),
    bottom - up.share(b) * area.height,
  ];
  return picture(title, bottom + 56, [
    ...keys.parts,
    ...up.ticks.flatMap((tick) => {
      const level = at([across.ticks[0] ?? 0, tick])[1];
      const label = text({ x: area.left - 8, y: level + 4, className: "quiet end" }, shortNumber(tick));
      return [line("grid", [area.left, level], [area.right, level]), label];
    }),
    ...across.ticks.flatMap((tick) => {
      const column = at([tick, up.ticks[0] ?? 0])[0];
      const label = text({ x: column, y: bottom + 18, className: "quiet middle" }, shortNumber(tick));
      return [line("grid", [column, top], [column, bottom]), label];
    }),
    line("axis", [area.left, bottom], [area.right, bottom]),
    line("axis", [area.left, top], [area.left, bottom]),
    text({ x: (area.left + area.right) / 2, y: bottom + 42, className: "middle" }, x.label),
    text({ x: 22, y: (top + bottom) / 2, className: "middle", turned: -90 }, y.label),
    ...limits.flatMap(({ name, value }) => {
      const level = at([across.ticks[0] ?? 0, value])[1];
      const label = text({ x: area.left + 8, y: level - 5, className: "limit-text" }, name);
      return [line("limit", [area.left, level], [area.right, level]), label];
    }),
    ...series.flatMap((one, index) => {
      const placed = one.points.map(at);
      const path = placed.map(([a, b]) => `${place(a)},${place(b)}`).join(" ");
      return [
        `<polyline class="${lookOf(series, index)}" points="${path}"/>`,
        ...placed.map((each) => mark(index, each)),
      ];
    }),
  ]);
}

function lookOf(series: readonly Series[], at: number): string {
  return `line l${at}${series[at]?.dashed === true ? " dashed" : ""}`;
}

/** A circle, a square, a triangle, and again. */
function mark(at: number, [x, y]: Point): string {
  if (at % 3 === 0) return `<circle class="f${at}" cx="${place(x)}" cy="${place(y)}" r="3.5"/>`;
  if (at % 3 === 1) return `<rect class="f${at}" x="${place(x - 3.5)}" y="${place(y - 3.5)}" width="7" height="7"/>`;
  const corners = [
    `${place(x)},${place(y - 4.5)}`,
    `${place(x + 4.5)},${place(y + 3.5)}`,
    `${place(x - 4.5)},${place(y + 3.5)}`,
  ];
  return `<polygon class="f${at}" points="${corners.join(" ")}"/>`;
}

import { scaleOf, shortNumber } from "./axis";
import { checkSeries, legend, line, picture, place, text, width } from "./svg";

export interface StackedBars {
  readonly title: string;
  /** With the unit: "$ a month" */
  readonly label: string;
  /** From the bottom up, which is the legend's order. */
  readonly parts: readonly string[];
  /** `values`: one for each part. */
  readonly bars: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** What is above a bar. Without it, the sum. */
  readonly total?: (sum: number) => string;
}

const area = { left: 72, right: width - 24, height: 280 };

/** One bar for each case, its parts on top of each other, on an axis that begins at 0. */
export function stackedBars({ title, label, parts, bars, total = shortNumber }: StackedBars): string {
  checkSeries(title, parts.length);
  const keys = legend(parts, 52, (at, left, middle) => box(`f${at}`, [left + 3, middle - 6, 12, 12]));
  const top = 66 + keys.rows * 20;
  const bottom = top + area.height;
  const sums = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const up = scaleOf({ label, scale: "linear", from: 0 }, sums);
  const level = (value: number) => bottom - up.share(value) * area.height;
  const step = (area.right - area.left) / bars.length;
  const wide = Math.min(90, step * 0.6);
  return picture(title, bottom + 44, [
    ...keys.parts,
    ...up.ticks.flatMap((tick) => [
      line("grid", [area.left, level(tick)], [area.right, level(tick)]),
      text({ x: area.left - 8, y: level(tick) + 4, className: "quiet end" }, shortNumber(tick)),
    ]),
    text({ x: 22, y: (top + bottom) / 2, className: "middle", turned: -90 }, label),
    ...bars.flatMap(({ name, values }, index) => {
      const middle = area.left + (index + 0.5) * step;
      let sum = 0;
      const boxes = values.map((value, at) => {
        const [from, to] = [level(sum), level((sum += value))];
        return value > 0 ? box(`f${at}`, [middle - wide / 2, to, wide, Math.max(0.1, from - to)]) : "";
      });
      return [
        ...boxes.filter((each) => each !== ""),
        text({ x: middle, y: level(sum) - 7, className: "middle" }, total(sum)),
        text({ x: middle, y: bottom + 20, className: "middle" }, name),
      ];
    }),
    line("axis", [area.left, bottom], [area.right, bottom]),
  ]);
}

export function box(className: string, [x, y, wide, high]: readonly [number, number, number, number]): string {
  return `<rect class="${className}" x="${place(x)}" y="${place(y)}" width="${place(wide)}" height="${place(high)}"/>`;
}

import { scaleOf, shortNumber } from "./axis";
import { box } from "./stacked-bars";
import { checkSeries, legend, line, picture, text, width } from "./svg";

export interface ShareBars {
  readonly title: string;
  readonly label: string;
  /** One for each value of a row, which is the legend's order. */
  readonly series: readonly string[];
  /** `values`: shares of the limit, 1 is all of it. 0 has no bar. */
  readonly rows: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** The least share that the log axis shows. */
  readonly from: number;
}

const left = 250;
const right = width - 70;
const thick = 11;

/** What each limit's use is: horizontal bars on a log axis, with a line where the limit is reached. */
export function shareBars({ title, label, series, rows, from }: ShareBars): string {
  checkSeries(title, series.length);
  const keys = legend(series, 52, (at, x, middle) => box(`f${at}`, [x + 3, middle - 6, 12, 12]));
  const top = 60 + keys.rows * 20;
  const step = series.length * (thick + 2) + 12;
  const bottom = top + rows.length * step + 4;
  const across = scaleOf({ label, scale: "log", from }, [
    1,
    ...rows.flatMap(({ values }) => values.filter((value) => value > 0)),
  ]);
  const column = (share: number) => left + across.share(share) * (right - left);
  return picture(title, bottom + 56, [
    ...keys.parts,
    ...across.ticks.flatMap((tick) => [
      line("grid", [column(tick), top], [column(tick), bottom]),
      text({ x: column(tick), y: bottom + 18, className: "quiet middle" }, percent(tick)),
    ]),
    ...rows.flatMap(({ name, values }, row) => {
      const start = top + 8 + row * step;
      return [
        text({ x: left - 10, y: start + (step - 12) / 2 + 4, className: "end" }, name),
        ...values.flatMap((value, at) => {
          if (value === 0) return [];
          const y = start + at * (thick + 2);
          const bar = box(`f${at}`, [left, y, Math.max(1, column(value) - left), thick]);
          return [
            bar,
            text({ x: Math.max(left + 1, column(value)) + 5, y: y + thick - 2, className: "quiet" }, percent(value)),
          ];
        }),
      ];
    }),
    line("axis", [left, top], [left, bottom]),
    line("limit", [column(1), top], [column(1), bottom]),
    text({ x: (left + right) / 2, y: bottom + 42, className: "middle" }, label),
  ]);
}

function percent(share: number): string {
  return `${shortNumber(share * 100)} %`;
}

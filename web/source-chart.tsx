import { useMemo, useRef, useState } from "preact/hooks";
import type { SourceHistoryAnswer } from "../lib/read/page/answers";
import { useAnswer } from "./ask";
import { HoldBands, Legend, legendOf, RangePicker, Scrubber } from "./chart-frame";
import { shown, usePage } from "./context";
import { extremes, lastKnown } from "./hpa-charts";
import { Problem } from "./marks";
import type { SourceName } from "./place";
import type { SourceQuery } from "./select-rows";
import { rangeText, type Span, spanOf, spanText, timeText, versionOf } from "./span";
import { type Line, shortNumber, TimeChart } from "./time-chart";

interface Props {
  readonly source: SourceName;
  readonly queries: readonly SourceQuery[];
  readonly loadedAt: number | undefined;
}

const mostReaders = 3;
const mostQueries = 500;

export function SourceChart({ source: { cluster, name }, queries, loadedAt }: Props) {
  const { place, now } = usePage();
  const { range = "1h" } = place;
  const { metric = "", readers = [] } = queries.find((one) => one.metric === place.metric) ?? queries[0] ?? {};
  const hpas = readers
    .slice(0, mostReaders)
    .map((row) => `${row.namespace}/${row.name}`)
    .join("\n");
  const path = loadedAt === undefined || hpas === "" ? undefined : "api/source-history";
  const asked = { cluster, name, metric, hpas, range };
  const { answer, error } = useAnswer<SourceHistoryAnswer>(path, asked, versionOf(range, loadedAt));
  // Drawn until the next range is there.
  const drawn = useRef<{ readonly metric: string; readonly answer: SourceHistoryAnswer }>(undefined);
  if (answer !== undefined) drawn.current = { metric, answer };
  const charted = drawn.current?.metric === metric ? drawn.current.answer : undefined;
  const span = useMemo(() => charted && spanOf(charted), [charted]);
  return (
    <section aria-label="Over time" class="over-time">
      <div class="time-head">
        <h2>Over time</h2>
        <span class="muted">{span !== undefined && spanText(span, now)}</span>
        <RangePicker range={range} span={span} />
      </div>
      <Problem text={error} />
      {charted !== undefined && span !== undefined && <Chart {...{ answer: charted, span, metric, queries }} />}
    </section>
  );
}

interface ChartProps extends Pick<Props, "queries"> {
  readonly answer: SourceHistoryAnswer;
  readonly span: Span;
  readonly metric: string;
}

function Chart({ answer: { value, shades, isKept }, span, metric, queries }: ChartProps) {
  const { place, go, now } = usePage();
  const [part, setPart] = useState<number>();
  const lines = useMemo(
    (): readonly Line[] => [
      { label: "", values: value.high, color: "#0000" },
      { label: "", values: value.low, color: "#0000" },
      { label: "value", values: value.mean, color: "--text", width: 1.5, filled: true },
    ],
    [value],
  );
  const last = lastKnown(value.mean);
  const at = part === undefined || part >= span.parts ? (last ?? 0) : part;
  const momentOf = (one: number) => timeText(Math.min(span.known, span.since + (one + 1) * span.width), now);
  const mean = value.mean[at] ?? null;
  const text = mean === null ? (isUnread(shades, span, at) ? "not read" : "unknown") : shortNumber(mean);
  return (
    <>
      <div class="charted">
        <Legend title={shown(metric)} unit="in total" items={last === undefined ? [] : legendOf(lines, at)}>
          {queries.length > 1 && (
            <select
              aria-label="Query"
              value={metric}
              onChange={({ currentTarget }) => go({ ...place, metric: currentTarget.value }, true)}
            >
              {queries.slice(0, mostQueries).map((one) => (
                <option value={one.metric}>{shown(one.metric)}</option>
              ))}
            </select>
          )}
        </Legend>
        {last === undefined ? (
          <p class="muted">{isKept ? "Nothing is known of this time." : "This table keeps no history."}</p>
        ) : (
          <TimeChart
            {...{ span, part, lines, shades, hasTimes: true, height: 190, bands: [[0, 1]] }}
            label={`${shown(metric)}: ${extremes(value.high, value.low)}`}
            onPart={setPart}
            onPick={() => undefined}
            onZoom={(since, until) => go({ ...place, range: rangeText(since, until, now) })}
          />
        )}
      </div>
      {last !== undefined && (
        <Scrubber
          {...{ parts: span.parts, part: at, onPart: setPart }}
          label={part === undefined ? "Moment" : momentOf(at)}
          text={`${momentOf(at)}: ${text}`}
        />
      )}
      <HoldBands {...{ shades, span }} />
    </>
  );
}

function isUnread(shades: SourceHistoryAnswer["shades"], { since, width }: Span, part: number): boolean {
  const middle = since + (part + 0.5) * width;
  return shades.some(({ spans }) => spans.some(([from, to]) => from <= middle && middle < to));
}

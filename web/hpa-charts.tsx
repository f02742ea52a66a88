import { useMemo, useRef, useState } from "preact/hooks";
import type { HistoryAnswer, PartColumn, HistoryMetric } from "../lib/read/page/answers";
import { useAnswer } from "./ask";
import { shown, usePage } from "./context";
import { HoldBands, Legend, legendOf, RangePicker, Scrubber } from "./chart-frame";
import { Problem } from "./marks";
import type { HpaName } from "./place";
import { rangeText, type Span, spanOf, spanText, timeText, versionOf } from "./span";
import { type Line, TimeChart } from "./time-chart";

interface Props {
  readonly hpa: HpaName;
  readonly loadedAt: number | undefined;
  readonly onMoment: (at: number | undefined) => void;
}

export function HpaCharts({ hpa, loadedAt, onMoment }: Props) {
  const { place, now } = usePage();
  const { range = "1h" } = place;
  const { cluster, namespace, name } = hpa;
  const version = versionOf(range, loadedAt);
  const { answer, error } = useAnswer<HistoryAnswer>("api/history", { cluster, namespace, name, range }, version);
  // Drawn until the next range is there.
  const drawn = useRef(answer);
  drawn.current = answer ?? drawn.current;
  const charted = drawn.current;
  const span = useMemo(() => charted && spanOf(charted), [charted]);
  return (
    <section aria-label="Over time" class="over-time">
      <div class="time-head">
        <h2>Over time</h2>
        <span class="muted">{span !== undefined && spanText(span, now)}</span>
        <RangePicker range={range} span={span} />
      </div>
      <Problem text={error} />
      {charted !== undefined && span !== undefined && <Charts {...{ answer: charted, span, hpa, onMoment }} />}
    </section>
  );
}

interface ChartsProps extends Pick<Props, "hpa" | "onMoment"> {
  readonly answer: HistoryAnswer;
  readonly span: Span;
}

function Charts({ answer, span, hpa, onMoment }: ChartsProps) {
  const { place, go, now } = usePage();
  const [part, setPart] = useState<number>();
  const [chosen, choose] = useState(0);
  const { replicas, metrics, shades, scalings, events } = answer;
  const metric = metrics[Math.min(chosen, metrics.length - 1)];
  const isDry = shades.some(({ by }) => by === "dryRun");
  const replicaLines = useMemo(() => linesOfReplicas(answer, isDry), [answer]);
  const metricLines = useMemo(() => (metric === undefined ? [] : linesOfMetric(metric)), [answer, metric]);
  const last = lastKnown(replicas.current);
  if (last === undefined && metrics.every(({ mean }) => lastKnown(mean) === undefined))
    return <p class="muted">{answer.isKept ? "Nothing is known of this time." : "This table keeps no history."}</p>;

  const momentOf = (at: number) => Math.floor(Math.min(span.known, span.since + (at + 1) * span.width) / 1000) * 1000;
  const show = (next: number | undefined) => {
    setPart(next);
    onMoment(next === undefined ? undefined : momentOf(next));
  };
  const pick = (at: number) => go({ ...place, hpa, at: new Date(momentOf(at)).toISOString() });
  const zoom = (since: number, until: number) => go({ ...place, hpa, range: rangeText(since, until, now) });
  const partIn = part === undefined || part >= span.parts ? undefined : part;
  const at = partIn ?? last ?? 0;
  const shared = { span, part: partIn, onPart: show, onPick: pick, onZoom: zoom };
  const blind = shades.filter(({ by }) => by === "unknownMetric");
  const marks = [
    ...scalings.map((one) => ({ at: one.at, value: one.to })),
    ...events.filter(({ type }) => type === "Warning").map((one) => ({ at: one.at })),
  ].filter((one) => one.at >= span.since && one.at <= span.until);
  return (
    <>
      {metric !== undefined && (
        <div class="charted">
          <Legend title={shown(metric.label)} unit={metric.unit} items={legendOf(metricLines, at)}>
            {metrics.length > 1 && (
              <select
                aria-label="Metric"
                value={String(metrics.indexOf(metric))}
                onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
              >
                {metrics.map(({ label }, index) => (
                  <option value={String(index)}>{shown(label)}</option>
                ))}
              </select>
            )}
          </Legend>
          <TimeChart
            {...{ ...shared, shades: blind, lines: metricLines, hasTimes: false, height: 130 }}
            bands={[
              [0, 1],
              [2, 3],
            ]}
            label={`${shown(metric.label)}: ${extremes(metric.high, metric.low)}`}
          />
        </div>
      )}
      <div class="charted">
        <Legend title="Replicas" unit="" items={legendOf(replicaLines, at)} />
        <TimeChart
          {...{ ...shared, shades, marks, lines: replicaLines, hasTimes: true, height: 190, isWhole: true }}
          label={`Replicas: ${extremes(replicas.current, replicas.current)}, ${scalings.length} scalings`}
        />
      </div>
      <Scrubber
        {...{ parts: span.parts, part: at, onPart: show, onPick: pick }}
        label={partIn === undefined ? "Moment" : timeText(momentOf(partIn), now)}
        text={momentText(answer, { span, at, time: timeText(momentOf(at), now) })}
      />
      <HoldBands {...{ shades, span }} />
      <details class="as-table">
        <summary>As a table</summary>
        <Changes {...{ answer, span, metric }} />
      </details>
    </>
  );
}

function linesOfReplicas({ replicas }: HistoryAnswer, isDry: boolean): readonly Line[] {
  const { current, recommended, stabilized, desired, min, max } = replicas;
  return [
    { label: "maxReplicas", values: max, color: "--muted", dash: [2, 4] },
    { label: "minReplicas", values: min, color: "--muted", dash: [2, 4] },
    { label: "recommended", values: recommended, color: "--keeps", width: 1.5 },
    { label: "stabilized", values: stabilized, color: "--keeps", dash: [2, 3] },
    {
      label: isDry ? "dry run" : "limited",
      values: desired,
      ...(isDry ? { color: "--asked", width: 1.5 } : { color: "--moves", dash: [6, 3] }),
    },
    { label: "actual", values: current, color: "--text", width: 2, filled: true },
  ];
}

function linesOfMetric({ target, tolerance, low, mean, high }: HistoryMetric): readonly Line[] {
  const times = (factor: number) => target.map((value) => (value === null ? null : value * factor));
  return [
    { label: "", values: times(1 + tolerance.up), color: "#0000" },
    { label: "", values: times(1 - tolerance.down), color: "#0000" },
    { label: "", values: high, color: "#0000" },
    { label: "", values: low, color: "#0000" },
    { label: "target", values: target, color: "--muted", dash: [4, 3] },
    { label: "value", values: mean, color: "--text", width: 1.5 },
  ];
}

export function lastKnown(values: PartColumn): number | undefined {
  const index = values.findLastIndex((value) => value !== null);
  return index < 0 ? undefined : index;
}

export function extremes(high: PartColumn, low: PartColumn): string {
  const known = [...high, ...low].filter((value) => value !== null);
  return known.length === 0 ? "unknown" : `${Math.min(...known)} to ${Math.max(...known)}`;
}

/** In the middle of a part. */
function heldIn({ shades }: HistoryAnswer, { since, width }: Span, part: number): readonly string[] {
  const middle = since + (part + 0.5) * width;
  const held = shades.filter(({ spans }) => spans.some(([from, to]) => from <= middle && middle < to));
  return held.map(({ label }) => label);
}

function momentText(
  answer: HistoryAnswer,
  { span, at, time }: { readonly span: Span; readonly at: number; readonly time: string },
) {
  const { replicas } = answer;
  const asked = replicas.recommended[at];
  return [
    `${time}: ${replicas.current[at] ?? "unknown"} replicas`,
    ...(typeof asked === "number" ? [`${asked} recommended`] : []),
    ...heldIn(answer, span, at),
  ].join(", ");
}

const mostChanges = 120;

function Changes({
  answer,
  span,
  metric,
}: Pick<ChartsProps, "answer" | "span"> & { metric: HistoryMetric | undefined }) {
  const { now } = usePage();
  const { replicas } = answer;
  const rows = replicas.current.flatMap((current, at) => {
    if (span.since + (at + 0.5) * span.width > span.known) return [];
    const cells = [current, replicas.recommended[at], replicas.desired[at]].map((value) => value ?? "?");
    return [{ at, cells: [...cells, heldIn(answer, span, at).join(", ")] }];
  });
  const changes = rows.filter(({ cells }, index) => String(cells) !== String(rows[index - 1]?.cells));
  return (
    <table class="decisions">
      <thead>
        <tr>
          {["From", ...(metric === undefined ? [] : [shown(metric.label)])].map((head) => (
            <th scope="col">{head}</th>
          ))}
          {["Actual", "Recommended", "Limited", "Held by"].map((head) => (
            <th scope="col">{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {changes
          .toReversed()
          .slice(0, mostChanges)
          .map(({ at, cells }) => (
            <tr>
              <td>{timeText(span.since + at * span.width, now)}</td>
              {metric !== undefined && <td class="sizes">{metric.mean[at] ?? "?"}</td>}
              {cells.map((cell) => (
                <td class="sizes">{cell}</td>
              ))}
            </tr>
          ))}
      </tbody>
    </table>
  );
}

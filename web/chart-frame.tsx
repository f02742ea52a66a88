import type { ComponentChildren } from "preact";
import type { HistoryShade } from "../lib/read/page/answers";
import { humanDuration } from "../lib/read/page/words";
import { usePage } from "./context";
import { isPreset, presets, type Span, zoomed } from "./span";
import { type Line, shortNumber } from "./time-chart";

interface Item {
  readonly line: Line;
  readonly value: number | null;
}

export function legendOf(lines: readonly Line[], at: number): readonly Item[] {
  return lines
    .filter(({ label, values }) => label !== "" && values.some((value) => value !== null))
    .map((line) => ({ line, value: line.values[at] ?? null }))
    .reverse();
}

interface Props {
  readonly title: string;
  readonly unit: string;
  readonly items: readonly Item[];
  readonly children?: ComponentChildren;
}

export function Legend({ title, unit, items, children }: Props) {
  return (
    <div class="legend">
      <h3>
        {title}
        {unit !== "" && <span class="muted"> {unit.trim()}</span>}
      </h3>
      {children}
      <ul>
        {items.map(({ line: { label, color, dash, width = 1 }, value }) => (
          <li>
            <svg class="swatch" aria-hidden="true">
              <line
                x2="14"
                y1="6"
                y2="6"
                style={{ stroke: `var(${color})`, strokeWidth: width + 0.5, strokeDasharray: dash?.join(" ") }}
              />
            </svg>
            <span class="muted">{label}</span> <b>{value === null ? "–" : shortNumber(value)}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What held the size back, on the time axis of the charts. */
export function HoldBands({ shades, span }: { readonly shades: readonly HistoryShade[]; readonly span: Span }) {
  const { since, until } = span;
  const percent = (at: number) => `${(Math.min(1, Math.max(0, (at - since) / (until - since))) * 100).toFixed(3)}%`;
  const share = (ms: number) => `${((ms / (until - since)) * 100).toFixed(3)}%`;
  if (shades.length === 0) return null;
  return (
    <dl class="hold-bands" aria-label="Held by">
      {shades.map(({ label, tone, spans, ms }) => (
        <div class="charted hold-band">
          <dt>
            {label} <span class="muted">{humanDuration(ms)}</span>
          </dt>
          <dd>
            <svg class={tone} aria-hidden="true">
              {spans.map(([from, to]) => (
                <rect x={percent(from)} width={share(to - from)} height="10" rx="1" />
              ))}
            </svg>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ScrubberProps {
  readonly label: string;
  readonly parts: number;
  readonly part: number;
  /** What the part says. */
  readonly text: string;
  readonly onPart: (part: number | undefined) => void;
  readonly onPick?: (part: number) => void;
}

/** The cursor of the charts, by keyboard. */
export function Scrubber({ label, parts, part, text, onPart, onPick }: ScrubberProps) {
  return (
    <div class="charted scrubber">
      <label for="moment">{label}</label>
      <input
        id="moment"
        type="range"
        min={0}
        max={parts - 1}
        value={part}
        aria-valuetext={text}
        onInput={({ currentTarget }) => onPart(Number(currentTarget.value))}
        onFocus={() => onPart(part)}
        onBlur={() => onPart(undefined)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onPick?.(part);
        }}
      />
    </div>
  );
}

interface RangeProps {
  readonly range: string;
  readonly span: Span | undefined;
}

export function RangePicker({ range, span }: RangeProps) {
  const { place, go, now } = usePage();
  const show = (next: string) => {
    const { range: _, ...rest } = place;
    go(next === "1h" ? rest : { ...rest, range: next });
  };
  const zoom = (by: number) => {
    if (span === undefined) return;
    const isLive = isPreset(range);
    show(zoomed(span, { by, at: isLive ? span.until : (span.since + span.until) / 2 }, now));
  };
  return (
    <div class="ranges" role="group" aria-label="Range">
      {presets.map((preset) => (
        <button aria-pressed={range === preset} onClick={() => show(preset)}>
          {preset}
        </button>
      ))}
      <button aria-label="Zoom in" title="Zoom in; or drag over a chart" onClick={() => zoom(0.5)}>
        +
      </button>
      <button aria-label="Zoom out" onClick={() => zoom(2)}>
        −
      </button>
    </div>
  );
}

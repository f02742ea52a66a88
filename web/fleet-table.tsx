import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FleetRow } from "../lib/read/page/fleet-row";
import { holdWords } from "../lib/read/page/words";
import { ago, shown, tickMs, usePage } from "./context";
import { Link } from "./link";
import { SizeBar, Spark, StateWord } from "./marks";
import type { Sort } from "./place";
import type { Listed } from "./select-rows";

const spare = 8;
const columns: readonly (readonly [title: string, sort?: Sort])[] = [
  ["State", "attention"],
  ["HPA", "name"],
  ["Size", "size"],
  ["Last hour"],
  ["Metric / target"],
  ["Held by"],
  ["Since", "since"],
];

/** Only the rows in sight are in the document. Arrow keys move between them, Enter opens one. */
export function FleetTable({
  rows,
  isOld,
}: {
  readonly rows: readonly Listed[];
  readonly isOld: (row: FleetRow) => boolean;
}) {
  const { place, go } = usePage();
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800, row: 37 });
  const [selected, select] = useState(0);
  const isMoving = useRef(false);

  useLayoutEffect(() => {
    const box = frame.current;
    if (box === null) return;
    const measure = () => {
      const row = parseFloat(getComputedStyle(box).getPropertyValue("--row")) || 37;
      setView({ top: box.scrollTop, height: box.clientHeight, row });
    };
    measure();
    const watching = new ResizeObserver(measure);
    watching.observe(box);
    box.addEventListener("scroll", measure, { passive: true });
    return () => {
      watching.disconnect();
      box.removeEventListener("scroll", measure);
    };
  }, []);

  const first = Math.max(0, Math.floor(view.top / view.row) - spare);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / view.row) + spare);
  const current = Math.min(Math.max(selected, 0), Math.max(0, rows.length - 1));
  const focusable = current >= first && current < last ? current : first;

  useEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    frame.current?.querySelector<HTMLElement>(`[data-row="${current}"] a`)?.focus({ preventScroll: true });
  });

  const move = (to: number) => {
    const next = Math.min(Math.max(to, 0), rows.length - 1);
    const box = frame.current;
    if (box === null || next < 0) return;
    const [top, bottom] = [next * view.row, (next + 1) * view.row];
    const head = box.querySelector<HTMLElement>(".head")?.offsetHeight ?? 0;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (bottom > box.scrollTop + box.clientHeight - head) box.scrollTop = bottom - box.clientHeight + head;
    isMoving.current = true;
    select(next);
    setView({ ...view, top: box.scrollTop });
  };
  const page = Math.max(1, Math.floor(view.height / view.row) - 2);
  const steps: Readonly<Record<string, () => number>> = {
    ...{ ArrowDown: () => current + 1, ArrowUp: () => current - 1 },
    ...{ PageDown: () => current + page, PageUp: () => current - page },
    ...{ Home: () => 0, End: () => rows.length - 1 },
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(step());
  };
  const { sort, reversed } = place.choice;
  const sortBy = (by: Sort) =>
    go({ ...place, choice: { ...place.choice, sort: by, reversed: by === sort && !reversed } }, true);

  return (
    <div class="table" ref={frame} role="table" aria-label="HPAs" aria-rowcount={rows.length + 1} onKeyDown={onKeyDown}>
      <div class="head row" role="row" aria-rowindex={1}>
        {columns.map(([title, by]) => (
          <span
            role="columnheader"
            aria-sort={by === undefined ? undefined : by !== sort ? "none" : reversed ? "descending" : "ascending"}
          >
            {by === undefined ? title : <button onClick={() => sortBy(by)}>{title}</button>}
          </span>
        ))}
      </div>
      <div class="rows" role="rowgroup" style={{ height: `${rows.length * view.row}px` }}>
        {rows.slice(first, last).map(({ id, row }, offset) => {
          const index = first + offset;
          return (
            <div
              key={id}
              class={`row ${isOld(row) ? "old" : ""}`}
              role="row"
              aria-rowindex={index + 2}
              data-row={index}
              style={{ transform: `translateY(${index * view.row}px)` }}
              onFocusIn={() => select(index)}
            >
              <Cells row={row} isReached={index === focusable} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Cells({ row, isReached }: { readonly row: FleetRow; readonly isReached: boolean }) {
  const { place, now } = usePage();
  const { cluster, namespace, name, state, size, asks, min, max, metrics, hold, reason, since, recent } = row;
  const [metric, ...more] = metrics;
  const held = hold === undefined ? (reason ?? "") : heldText(hold, now);
  return (
    <>
      <span role="cell">
        <StateWord state={state} />
      </span>
      <span role="cell" class="name" title={shown(`${cluster}/${namespace}/${name}`)}>
        <Link to={{ ...place, hpa: { cluster, namespace, name } }} tabIndex={isReached ? 0 : -1}>
          {shown(name)}
        </Link>
        <span class="muted where">
          {shown(namespace)} · {shown(cluster)}
        </span>
      </span>
      <span role="cell">
        <SizeBar {...{ size, asks, min, max }} />
      </span>
      <span role="cell">
        <Spark {...{ recent, now }} />
      </span>
      <span role="cell" class="metric" title={metrics.map((one) => `${shown(one.name)}: ${valueText(one)}`).join("\n")}>
        {metric !== undefined && (
          <>
            <b>{valueText(metric)}</b> <span class="muted">{shown(metric.name)}</span>
            {more.length > 0 && <span class="muted"> +{more.length}</span>}
          </>
        )}
      </span>
      <span role="cell" class="why" title={shown([held, reason].filter(Boolean).join(": "))}>
        {shown(hold !== undefined && reason !== undefined ? `${held}: ${reason}` : held)}
      </span>
      <span role="cell" class="since muted">
        {since === undefined ? "" : now - since < tickMs ? "now" : ago(since, now)}
      </span>
    </>
  );
}

export function valueText({ current, target, isAverage }: FleetRow["metrics"][number]): string {
  return `${current ?? "unknown"} / ${target}${isAverage === true ? " a pod" : ""}`;
}

function heldText({ by, until }: NonNullable<FleetRow["hold"]>, now: number): string {
  const ends = until === undefined || until < now ? "" : `, ${ago(now, until)} more`;
  return `${holdWords[by]}${ends}`;
}

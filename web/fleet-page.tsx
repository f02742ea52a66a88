import { useEffect, useMemo, useRef } from "preact/hooks";
import { hpaStates, type HpaState } from "../lib/read/page/words";
import { ago, shown, usePage } from "./context";
import { FleetTable } from "./fleet-table";
import { Link } from "./link";
import type { Fleet } from "./receive";
import { Mark } from "./marks";
import { type Choice, everything } from "./place";
import { countRows, selectRows } from "./select-rows";

const states = Object.keys(hpaStates) as HpaState[];

export function FleetPage({ fleet }: { readonly fleet: Fleet }) {
  const { place, go } = usePage();
  const { choice } = place;
  const key = JSON.stringify(choice);
  const all = useMemo(() => [...fleet.rows.values()], [fleet]);
  const rows = useMemo(() => selectRows(all, choice), [all, key]);
  const counts = useMemo(() => countRows(all, choice), [all, key]);
  const choose = (changed: Partial<Choice>) => go({ choice: { ...choice, ...changed } }, true);
  const toggle = (state: HpaState) =>
    choose({
      states: choice.states.includes(state) ? choice.states.filter((one) => one !== state) : [...choice.states, state],
    });
  const old = new Set(fleet.clusters.filter(({ unread }) => unread !== undefined).map(({ cluster }) => cluster));
  const isEmpty = all.length === 0 && fleet.loadedAt !== undefined;
  const isFiltered = JSON.stringify({ ...choice, sort: "attention", reversed: false }) !== JSON.stringify(everything);

  return (
    <main class="fleet">
      <h1 class="unseen">All HPAs</h1>
      <section class="summary" aria-label="States">
        {states
          .filter((state) => counts.byState[state] > 0 || choice.states.includes(state))
          .map((state) => (
            <button
              class={`chip ${state}`}
              aria-pressed={choice.states.includes(state)}
              title={hpaStates[state].means}
              onClick={() => toggle(state)}
            >
              <Mark state={state} />
              <b>{counts.byState[state].toLocaleString("en")}</b> {hpaStates[state].label}
            </button>
          ))}
      </section>
      <Saved saved={fleet.saved} />
      <Clusters fleet={fleet} />
      <section class="filters" aria-label="Filters" hidden={isEmpty}>
        <Search />
        <Pick label="Cluster" field="cluster" options={fleet.clusters.map(({ cluster }) => cluster)} />
        <Pick label="Namespace" field="namespace" options={counts.namespaces} />
        <Pick label="Source" field="source" options={counts.sources} />
        {choice.source !== "" && <SourceLinks fleet={fleet} />}
        <span class="muted found" role="status">
          {foundText(rows.length, fleet)}
        </span>
        {isFiltered && (
          <button class="plain" onClick={() => choose({ ...everything })}>
            Clear filters
          </button>
        )}
      </section>
      {rows.length === 0 ? (
        <Nothing fleet={fleet} />
      ) : (
        <FleetTable rows={rows} isOld={({ cluster }) => fleet.problem !== undefined || old.has(cluster)} />
      )}
    </main>
  );
}

function foundText(shownRows: number, { rows, loadedAt }: Fleet): string {
  const all = rows.size.toLocaleString("en");
  const text = shownRows === rows.size ? `${all} HPAs` : `${shownRows.toLocaleString("en")} of ${all} HPAs`;
  return loadedAt === undefined && rows.size > 0 ? `${text}, and still reading` : text;
}

function Nothing({ fleet: { rows, loadedAt, problem } }: { readonly fleet: Fleet }) {
  if (rows.size > 0) return <p class="nothing">No HPA matches.</p>;
  if (loadedAt === undefined) return <p class="nothing">{problem === undefined ? "Reading the table …" : ""}</p>;
  return (
    <p class="nothing">
      The table has no HPA yet. <code>ebb apply -f hpa.yaml</code> adds one.
    </p>
  );
}

function Saved({ saved }: { readonly saved: Fleet["saved"] }) {
  if (saved === undefined) return null;
  const { today, month, since, dollarsPerHour } = saved;
  const hours = (count: number) => count.toLocaleString("en", { maximumFractionDigits: count < 10 ? 1 : 0 });
  const dollars = (month * dollarsPerHour).toLocaleString("en", { style: "currency", currency: "USD" });
  const isWhole = new Date(since).getUTCDate() === 1;
  const day = new Date(since).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  return (
    <section class="saved muted" aria-label="What zero saved">
      Going to zero saved <b>{hours(month)}</b> replica-hours this month{isWhole ? "" : ` since ${day}`}, about{" "}
      <b>{dollars}</b> at ${dollarsPerHour} a replica-hour; <b>{hours(today)}</b> today (UTC).
    </section>
  );
}

/** Clusters whose slots are late come first; the others share a line. */
function Clusters({ fleet: { clusters } }: { readonly fleet: Fleet }) {
  const { place, now } = usePage();
  const isFine = (one: Fleet["clusters"][number]) => one.health === "inTime" && one.unread === undefined;
  return (
    <section class="clusters" aria-label="Clusters">
      {[...clusters]
        .sort((a, b) => Number(isFine(a)) - Number(isFine(b)))
        .map((one) => {
          const { cluster, health, slot, failure, unread, behind } = one;
          const lag = slot === undefined ? "no slot yet" : `last slot ${ago(slot, now)} ago`;
          const why = unread === undefined ? failure : `not read for ${ago(unread.since, now)}: ${unread.message}`;
          return (
            <span class={`cluster ${isFine(one) ? "" : "failing"}`}>
              <Link to={{ choice: { ...everything, cluster } }}>{shown(cluster)}</Link>{" "}
              <span class="muted">
                {[lag, ...lateWords[health], behind > 0 && `${behind} behind`].filter(Boolean).join(", ")}
              </span>
              {why !== undefined && <span> {shown(why)}</span>}
              {place.choice.cluster === cluster && <span class="unseen">, chosen</span>}
            </span>
          );
        })}
    </section>
  );
}

const lateWords = {
  inTime: [],
  notYet: ["its first slot is due"],
  missing: ["no shard"],
  late: ["late"],
  fails: ["fails"],
} as const;

function Search() {
  const { place, go } = usePage();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test((event.target as Element | null)?.tagName ?? "");
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <input
      ref={field}
      type="search"
      aria-label="Search"
      aria-keyshortcuts="/"
      placeholder="Search names, targets, sources"
      value={place.choice.search}
      onInput={({ currentTarget }) => go({ ...place, choice: { ...place.choice, search: currentTarget.value } }, true)}
    />
  );
}

interface PickProps {
  readonly label: string;
  readonly field: "cluster" | "namespace" | "source";
  readonly options: readonly string[];
}

function Pick({ label, field, options }: PickProps) {
  const { place, go } = usePage();
  const value = place.choice[field];
  const all = value === "" || options.includes(value) ? options : [value, ...options];
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) =>
        go({ ...place, choice: { ...place.choice, [field]: currentTarget.value } }, true)
      }
    >
      <option value="">{`Any ${label.toLowerCase()}`}</option>
      {all.map((option) => (
        <option value={option}>{shown(option)}</option>
      ))}
    </select>
  );
}

/** A source is of a cluster. */
function SourceLinks({ fleet }: { readonly fleet: Fleet }) {
  const { place } = usePage();
  const { source, cluster } = place.choice;
  const clusters = cluster === "" ? fleet.clusters.map((one) => one.cluster) : [cluster];
  const reads = [...fleet.rows.values()].filter(({ row }) => row.sources.includes(source));
  return (
    <>
      {clusters
        .filter((one) => reads.some(({ row }) => row.cluster === one))
        .map((one) => (
          <Link class="plain" to={{ ...place, source: { cluster: one, name: source } }}>
            {shown(clusters.length === 1 ? `About ${source}` : `About ${source} in ${one}`)}
          </Link>
        ))}
    </>
  );
}

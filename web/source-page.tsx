import { useMemo } from "preact/hooks";
import type { SourceAnswer } from "../lib/read/page/answers";
import type { FleetRow } from "../lib/read/page/fleet-row";
import { useAnswer } from "./ask";
import { ago, shown, usePage } from "./context";
import { valueText } from "./fleet-table";
import { Link } from "./link";
import { Problem, SizeBar, StateWord } from "./marks";
import { everything, type SourceName } from "./place";
import type { Fleet } from "./receive";
import { idOf, queriesOf, type SourceQuery } from "./select-rows";
import { SourceChart } from "./source-chart";

interface Props {
  readonly source: SourceName;
  readonly fleet: Fleet;
}

export function SourcePage({ source, fleet }: Props) {
  const { place } = usePage();
  const { cluster, name } = source;
  const { answer, error } = useAnswer<SourceAnswer>("api/source", { cluster, name }, fleet.loadedAt);
  const queries = useMemo(() => queriesOf(fleet.rows.values(), source), [fleet]);
  const readings = answer === undefined ? [] : readingsOf(answer, queries);
  const hpas = Math.max(answer?.hpas ?? 0, new Set(queries.flatMap(({ readers }) => readers)).size);
  return (
    <main class="hpa">
      <nav aria-label="Where you are">
        <Link to={{ choice: place.choice }}>All HPAs</Link>
        <span class="muted"> / {shown(cluster)} / sources</span>
      </nav>
      <h1>
        <bdi>{shown(name)}</bdi>
        {answer?.kind !== undefined && <span class="muted target">{answer.kind}</span>}
      </h1>
      <Problem text={error} />
      <Problem text={answer?.problem} />
      {answer === undefined && error === undefined && <p class="muted">Reading …</p>}
      {queries.length > 0 && <SourceChart {...{ source, queries, loadedAt: fleet.loadedAt }} />}
      {answer !== undefined && answer.errors.length > 0 && (
        <section aria-label="Errors">
          <h2>Errors</h2>
          <ul class="events">
            {answer.errors.map(({ text, hpas: failed }) => (
              <li class="failing">
                <b>{counted(failed)}</b> {shown(text)}
              </li>
            ))}
          </ul>
        </section>
      )}
      {answer !== undefined && (
        <section aria-label="Readers">
          <h2>{hpas === 1 ? "1 HPA scales on it" : `${hpas.toLocaleString("en")} HPAs scale on it`}</h2>
          {readings.length > 0 && <Readings {...{ source, fleet, readings: readings.slice(0, mostShown) }} />}
          <p>
            <Link to={{ choice: { ...everything, cluster, source: name } }}>
              {readings.length > mostShown ? "Show all in the list" : "Show them in the list"}
            </Link>
          </p>
        </section>
      )}
    </main>
  );
}

const mostShown = 50;

function counted(hpas: number): string {
  return hpas === 1 ? "1 HPA" : `${hpas.toLocaleString("en")} HPAs`;
}

type Reading = SourceAnswer["readings"][number];

/** A metric that no source's entry serves has what HPAs compared with their target. */
function readingsOf({ kind, problem, readings }: SourceAnswer, queries: readonly SourceQuery[]): readonly Reading[] {
  if (kind !== undefined || problem !== undefined) return readings;
  return queries.flatMap(({ metric, readers }) =>
    readers.map((row) => {
      const found = row.metrics.find((one) => one.name === metric);
      return { ...row, metric, ...(found !== undefined && { value: valueText(found) }) };
    }),
  );
}

interface ReadingsProps extends Props {
  readonly readings: readonly Reading[];
}

function Readings({ source: { cluster }, fleet, readings }: ReadingsProps) {
  const { place, now } = usePage();
  const columns = ["HPA", "State", "Size", "Asks for", "Value", "Read"];
  const { metric: _, source: __, ...rest } = place;
  return (
    <table class="decisions readings">
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col">{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {readings.map(({ namespace, name, metric, through, value, error, readAt }) => {
          const hpa = { cluster, namespace, name };
          const row: FleetRow | undefined = fleet.rows.get(idOf(hpa))?.row;
          return (
            <tr>
              <td>
                <Link to={{ ...rest, hpa }}>{shown(name)}</Link> <span class="muted">{shown(namespace)}</span>
              </td>
              <td>{row !== undefined && <StateWord state={row.state} />}</td>
              <td class="sizes">
                <SizeBar {...{ size: row?.size, asks: row?.asks, min: row?.min, max: row?.max }} />
              </td>
              <td>
                {shown(metric)}
                {through !== undefined && <span class="muted"> in {shown(through)}</span>}
              </td>
              <td class={error === undefined ? "sizes" : "failing"}>{shown(error ?? value ?? "not read yet")}</td>
              <td class="muted sizes">{readAt === undefined ? "" : `${ago(readAt, now)} ago`}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

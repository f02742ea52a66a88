import type { SourceAnswer } from "../lib/read/page/answers";
import { useAnswer } from "./ask";
import { ago, shown, usePage } from "./context";
import { Link } from "./link";
import { Problem } from "./marks";
import type { Fleet } from "./receive";

interface Props {
  readonly source: { readonly cluster: string; readonly name: string };
  readonly fleet: Fleet;
}

export function SourcePage({ source, fleet }: Props) {
  const { place, now } = usePage();
  const { cluster, name } = source;
  const { answer, error } = useAnswer<SourceAnswer>("api/source", { cluster, name }, fleet.loadedAt);
  const readers = [...fleet.rows.values()].filter(({ row }) => row.cluster === cluster && row.sources.includes(name));
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
      {answer !== undefined && answer.readings.length > 0 && (
        <section aria-label="Readings">
          <h2>Readings</h2>
          <table class="decisions">
            <thead>
              <tr>
                <th scope="col">HPA</th>
                <th scope="col">Metric</th>
                <th scope="col">Value</th>
                <th scope="col">Read</th>
              </tr>
            </thead>
            <tbody>
              {answer.readings.map(({ namespace, name: hpa, metric, value, error: failed, readAt }) => (
                <tr>
                  <td>
                    <Link to={{ choice: place.choice, hpa: { cluster, namespace, name: hpa } }}>{shown(hpa)}</Link>{" "}
                    <span class="muted">{shown(namespace)}</span>
                  </td>
                  <td>{shown(metric)}</td>
                  <td class={failed === undefined ? "sizes" : "failing"}>{shown(failed ?? value ?? "not read yet")}</td>
                  <td class="muted">{readAt === undefined ? "" : `${ago(readAt, now)} ago`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <section aria-label="Readers">
        <h2>
          {readers.length === 1 ? "1 HPA scales on it" : `${readers.length.toLocaleString("en")} HPAs scale on it`}
        </h2>
        <p>
          <Link to={{ choice: { ...place.choice, cluster, source: name } }}>Show them in the list</Link>
        </p>
      </section>
    </main>
  );
}

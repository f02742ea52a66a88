import { useState } from "preact/hooks";
import type { HpaAnswer, PastDecision } from "../lib/read/page/answers";
import { useAnswer } from "./ask";
import { shown, usePage } from "./context";
import { Link } from "./link";
import { Problem, SizeBar, StateWord } from "./marks";
import type { HpaName } from "./place";

/** `version` changes with each slot. */
export function HpaPage({ hpa, version }: { readonly hpa: HpaName; readonly version: unknown }) {
  const { place } = usePage();
  const { cluster, namespace, name } = hpa;
  const { at } = place;
  const { answer, error } = useAnswer<HpaAnswer>("api/hpa", { cluster, namespace, name, at }, version);
  return (
    <main class="hpa">
      <nav aria-label="Where you are">
        <Link to={{ choice: place.choice }}>All HPAs</Link>
        <span class="muted">
          {" / "}
          {shown(cluster)}
          {" / "}
          {shown(namespace)}
        </span>
      </nav>
      <h1>
        <bdi>{shown(name)}</bdi>
        {answer !== undefined && <StateWord state={answer.row.state} />}
        {answer?.row.target !== undefined && <span class="muted target">{shown(answer.row.target)}</span>}
      </h1>
      <Problem text={error} />
      {answer === undefined ? error === undefined && <p class="muted">Reading …</p> : <Answer {...{ answer, hpa }} />}
    </main>
  );
}

function Answer({ answer, hpa }: { readonly answer: HpaAnswer; readonly hpa: HpaName }) {
  const { place } = usePage();
  const { row, explained, decisions, events, yaml, command } = answer;
  const { size, asks, min, max, sources, cluster } = row;
  return (
    <>
      <section aria-label="The decision" class="decision">
        {place.at !== undefined && (
          <p class="then">
            As it was at {shown(place.at)}. <Link to={{ choice: place.choice, hpa }}>Back to now</Link>
          </p>
        )}
        {place.at === undefined && <SizeBar {...{ size, asks, min, max }} />}
        <p class="said">{shown(explained.summary)}</p>
        <dl>
          {explained.sections.map(({ label, texts }) => (
            <div>
              <dt>{label}</dt>
              <dd>
                {texts.map((text) => (
                  <p>
                    <WithCode text={text} />
                  </p>
                ))}
              </dd>
            </div>
          ))}
          {sources.length > 0 && (
            <div>
              <dt>sources</dt>
              <dd>
                {sources.map((name) => (
                  <Link class="source" to={{ choice: place.choice, source: { cluster, name } }}>
                    {shown(name)}
                  </Link>
                ))}
              </dd>
            </div>
          )}
        </dl>
        <AtTime hpa={hpa} />
        <Copy command={command} />
      </section>
      <section aria-label="Decisions">
        <h2>Decisions</h2>
        {decisions.length === 0 ? (
          <p class="muted">None is recorded.</p>
        ) : (
          <Decisions {...{ decisions, hpa, at: answer.at }} />
        )}
      </section>
      <section aria-label="Events">
        <h2>Events of the last hour</h2>
        {events.length === 0 && <p class="muted">None.</p>}
        <ul class="events">
          {events.map(({ time, type, reason, message, count }) => (
            <li class={type === "Warning" ? "failing" : ""}>
              <span class="muted">{time}</span> <b>{shown(reason)}</b>
              {count > 1 && <span class="muted"> ×{count}</span>} {shown(message)}
            </li>
          ))}
        </ul>
      </section>
      <details>
        <summary>Entry</summary>
        <pre tabIndex={0}>{yaml.split("\n").map(shown).join("\n")}</pre>
      </details>
    </>
  );
}

interface DecisionsProps {
  readonly decisions: readonly PastDecision[];
  readonly hpa: HpaName;
  readonly at: number | undefined;
}

function Decisions({ decisions, hpa, at: chosen }: DecisionsProps) {
  const { place } = usePage();
  return (
    <table class="decisions">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Size</th>
          <th scope="col">Why</th>
        </tr>
      </thead>
      <tbody>
        {decisions.map(({ at, time, from, to, dryRun, why }) => (
          <tr class={at === chosen ? "chosen" : ""}>
            <td>
              <Link to={{ choice: place.choice, hpa, at: new Date(at).toISOString() }}>{time}</Link>
            </td>
            <td class="sizes">
              {from === to ? (to ?? "?") : `${from ?? "?"} → ${to ?? "?"}`}
              {dryRun === true && <span class="muted"> dry run</span>}
            </td>
            <td>{shown(why)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Commands are between backquotes, as `ebb explain` prints them. */
function WithCode({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split("`")
        .map((part, index) => (index % 2 === 1 ? <code>{shown(part)}</code> : <span>{shown(part)}</span>))}
    </>
  );
}

function AtTime({ hpa }: { readonly hpa: HpaName }) {
  const { place, go } = usePage();
  const [time, setTime] = useState(place.at ?? "");
  const ask = (event: SubmitEvent) => {
    event.preventDefault();
    go({ choice: place.choice, hpa, ...(time.trim() !== "" && { at: time.trim() }) });
  };
  return (
    <form class="at" onSubmit={ask}>
      <label>
        How was it at{" "}
        <input
          type="text"
          placeholder="03:00, 2h"
          value={time}
          autocomplete="off"
          onInput={({ currentTarget }) => setTime(currentTarget.value)}
        />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}

function Copy({ command }: { readonly command: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(command).then(() => setCopied(true));
  return (
    <p class="copy">
      <code>{shown(command)}</code>
      <button onClick={copy}>{isCopied ? "Copied" : "Copy"}</button>
    </p>
  );
}

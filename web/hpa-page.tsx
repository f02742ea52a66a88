import { useEffect, useState } from "preact/hooks";
import type { HpaAnswer, MomentAnswer, PastDecision } from "../lib/read/page/answers";
import { useAnswer } from "./ask";
import { shown, usePage } from "./context";
import { HpaCharts } from "./hpa-charts";
import { Link } from "./link";
import { Problem, SizeBar, StateWord } from "./marks";
import type { HpaName, Place } from "./place";
import { timeText } from "./span";

export function HpaPage({ hpa, loadedAt }: { readonly hpa: HpaName; readonly loadedAt: number | undefined }) {
  const { place } = usePage();
  const { cluster, namespace, name } = hpa;
  const { at } = place;
  const { answer, error } = useAnswer<HpaAnswer>("api/hpa", { cluster, namespace, name, at }, loadedAt);
  const [moment, setMoment] = useState<number>();
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
      {answer === undefined ? error === undefined && <p class="muted">Reading …</p> : <Now {...{ answer }} />}
      {(answer !== undefined || error === undefined) && <HpaCharts {...{ hpa, loadedAt }} onMoment={setMoment} />}
      {answer !== undefined && (
        <>
          <Decision {...{ answer, hpa, moment }} />
          <Recorded {...{ answer, hpa }} />
        </>
      )}
    </main>
  );
}

function Now({ answer: { row, explained } }: { readonly answer: HpaAnswer }) {
  const { place } = usePage();
  const { size, asks, min, max } = row;
  return (
    <div class="decision">
      {place.at === undefined ? (
        <SizeBar {...{ size, asks, min, max }} />
      ) : (
        <p class="then">
          As it was at {shown(place.at)}. <Link to={withoutMoment(place)}>Back to now</Link>
        </p>
      )}
      <p class="said">{shown(explained.summary)}</p>
    </div>
  );
}

function withoutMoment({ at: _, ...rest }: Place): Place {
  return rest;
}

interface DecisionProps {
  readonly answer: HpaAnswer;
  readonly hpa: HpaName;
  readonly moment: number | undefined;
}

/** Of the moment under the cursor, or else of the one that the page is about. */
function Decision({ answer, hpa, moment }: DecisionProps) {
  const { place } = usePage();
  const { cluster, namespace, name } = hpa;
  const asked = useSettled(moment);
  const at = asked === undefined ? undefined : new Date(asked).toISOString();
  const path = at === undefined ? undefined : "api/moment";
  const then = useAnswer<MomentAnswer>(path, { cluster, namespace, name, at }, undefined);
  const { sources } = answer.row;
  const { explained, command } = then.answer ?? answer;
  return (
    <section aria-label="The decision" class="decision">
      {at !== undefined && (
        <p class="moment">
          <b>{timeText(asked ?? 0, Date.now())}</b>{" "}
          {then.answer === undefined ? shown(then.error ?? "…") : shown(then.answer.explained.summary)}
        </p>
      )}
      <dl class={at !== undefined && then.answer === undefined ? "old" : ""}>
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
        {sources.length > 0 && at === undefined && (
          <div>
            <dt>sources</dt>
            <dd>
              {sources.map((source) => (
                <Link class="source" to={{ choice: place.choice, source: { cluster, name: source } }}>
                  {shown(source)}
                </Link>
              ))}
            </dd>
          </div>
        )}
      </dl>
      <AtTime key={place.at ?? ""} />
      <Copy key={command} command={command} />
    </section>
  );
}

const settledMs = 120;

/** What it is once it stays the same. */
function useSettled<T>(value: T | undefined): T | undefined {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), settledMs);
    return () => clearTimeout(timer);
  }, [value]);
  return value === undefined ? undefined : settled;
}

function Recorded({ answer, hpa }: Pick<DecisionProps, "answer" | "hpa">) {
  const { decisions, events, yaml } = answer;
  return (
    <>
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
        <summary>Entry and status</summary>
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
              <Link to={{ ...place, hpa, at: new Date(at).toISOString() }}>{time}</Link>
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

function AtTime() {
  const { place, go } = usePage();
  const [time, setTime] = useState(place.at ?? "");
  const ask = (event: SubmitEvent) => {
    event.preventDefault();
    go({ ...withoutMoment(place), ...(time.trim() !== "" && { at: time.trim() }) });
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

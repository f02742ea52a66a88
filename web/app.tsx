import { render } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { ago, PageContext, shown, useNow, usePlace } from "./context";
import { FleetPage } from "./fleet-page";
import { HpaPage } from "./hpa-page";
import { Link } from "./link";
import { followFleet } from "./live";
import { type Fleet, nothingYet } from "./receive";
import { everything } from "./place";
import { SourcePage } from "./source-page";

function App() {
  const { place, go } = usePlace();
  const now = useNow();
  const [fleet, setFleet] = useState<Fleet>(nothingYet.fleet);
  useEffect(() => followFleet(setFleet), []);
  const { hpa, source } = place;
  const title = hpa?.name ?? source?.name;
  useEffect(() => {
    document.title = title === undefined ? "ebb" : `${title} – ebb`;
  }, [title]);
  // An effect after the paint would miss a key that is pressed at once.
  useLayoutEffect(() => {
    const back = (event: KeyboardEvent) => {
      if (event.key === "Escape" && title !== undefined) go({ choice: place.choice });
    };
    document.addEventListener("keydown", back);
    return () => document.removeEventListener("keydown", back);
  });
  return (
    <PageContext.Provider value={{ place, go, now }}>
      <header>
        <Link class="brand" to={{ choice: everything }} label="ebb: all HPAs">
          ebb
        </Link>
        <Freshness {...{ fleet, now }} />
      </header>
      {fleet.problem !== undefined && (
        <p class="banner" role="alert">
          <b>The table is out of reach</b> for {ago(fleet.problem.since, now)}: {shown(fleet.problem.message)}. What you
          see is as it was then.
        </p>
      )}
      <div class={fleet.problem === undefined ? "page" : "page old"}>
        {hpa !== undefined ? (
          <HpaPage hpa={hpa} loadedAt={fleet.loadedAt} key={JSON.stringify(hpa)} />
        ) : source !== undefined ? (
          <SourcePage {...{ source, fleet }} key={JSON.stringify(source)} />
        ) : (
          <FleetPage fleet={fleet} />
        )}
      </div>
    </PageContext.Provider>
  );
}

function Freshness({ fleet: { loadedAt, problem }, now }: { readonly fleet: Fleet; readonly now: number }) {
  const text = loadedAt === undefined ? "reading" : `read ${ago(loadedAt, now)} ago`;
  return <span class={`fresh ${problem === undefined ? "" : "failing"}`}>{text}</span>;
}

const place = document.getElementById("app");
if (place !== null) render(<App />, place);

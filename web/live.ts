import type { FleetMessage } from "../lib/read/page/fleet-row";
import { type Fleet, nothingYet, receive, type Received } from "./receive";

const unanswered = "`ebb dashboard` does not answer: it may have ended";
const retryMs = 3_000;

/** Follows the fleet while the page is visible. Returns a function that ends it. */
export function followFleet(changed: (fleet: Fleet) => void): () => void {
  let received: Received = nothingYet;
  let source: EventSource | undefined;
  let frame = 0;
  let retry = 0;

  const show = (next: Received) => {
    received = next;
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      changed(received.fleet);
    });
  };
  const lost = () => {
    const since = received.fleet.problem?.since ?? Date.now();
    show(receive(received, { type: "table", problem: { message: unanswered, since } }));
    // Another run of `ebb dashboard` may have taken the port: the browser does not ask again.
    if (source?.readyState !== EventSource.CLOSED) return;
    retry = window.setTimeout(open, retryMs);
  };
  function open(): void {
    close();
    source = new EventSource("api/fleet");
    source.onopen = () => {
      show({ ...receive(received, { type: "table" }), seen: new Set() });
    };
    source.onmessage = ({ data }: MessageEvent<string>) => {
      show(receive(received, JSON.parse(data) as FleetMessage));
    };
    source.onerror = lost;
  }
  function close(): void {
    clearTimeout(retry);
    source?.close();
    source = undefined;
  }
  const look = () => (document.hidden ? close() : open());
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    close();
  };
}

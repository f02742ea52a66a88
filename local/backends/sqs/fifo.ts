import type { Clock } from "../../clock";
import type { Deduplicated, Message } from "./message";

const rememberedMs = 5 * 60_000;

export interface Deduplication {
  find(deduplicationId: string, scope: string | undefined): Deduplicated | undefined;
  remember(sent: Deduplicated): Deduplicated;
  /** Increases from run to run. Twenty digits, as in SQS. */
  nextSequenceNumber(): string;
  all(): readonly Deduplicated[];
}

export function openDeduplication(clock: Clock, before: readonly Deduplicated[] = []): Deduplication {
  const keyOf = (id: string, scope: string | undefined): string => JSON.stringify([id, scope]);
  const sent = new Map(before.map((one) => [keyOf(one.fifo.deduplicationId, one.scope), one]));
  let last = before.reduce(
    (most, { fifo }) => (BigInt(fifo.sequenceNumber) > most ? BigInt(fifo.sequenceNumber) : most),
    0n,
  );

  const forget = (): void => {
    for (const [key, { sentAt }] of sent) {
      if (sentAt + rememberedMs > clock.now()) break;
      sent.delete(key);
    }
  };
  return {
    find(deduplicationId, scope) {
      forget();
      return sent.get(keyOf(deduplicationId, scope));
    },
    remember(one) {
      sent.set(keyOf(one.fifo.deduplicationId, one.scope), one);
      return one;
    },
    nextSequenceNumber() {
      const byTime = BigInt(clock.now()) << 20n;
      last = byTime > last ? byTime : last + 1n;
      return last.toString().padStart(20, "0");
    },
    all() {
      forget();
      return [...sent.values()];
    },
  };
}

/** Groups in flight: nothing else of them is delivered. */
export function groupsInFlight(messages: readonly Message[], now: number): Set<string | undefined> {
  const inFlight = messages.filter(({ visibleAt, receiveCount }) => visibleAt > now && receiveCount > 0);
  return new Set(inFlight.map(({ groupId }) => groupId));
}

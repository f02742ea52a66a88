import type { Fault } from "../../lib/model/fault";
import type { CloudEvent, Publisher, RefusedEvent } from "../../lib/model/ports/publisher";

type Answer = ReadonlyMap<string, RefusedEvent> | Fault;

/** Accepts all, unless `answers` says otherwise of a call. A Fault after `delivers` was a lost answer. */
export function fakePublisher(answers: readonly (Answer | undefined)[] = []) {
  const calls: (readonly CloudEvent[])[] = [];
  const publisher: Publisher = {
    publish(events) {
      calls.push(events);
      const answer = answers[calls.length - 1] ?? new Map<string, RefusedEvent>();
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  };
  return { publisher, calls, sent: () => calls.flat() };
}

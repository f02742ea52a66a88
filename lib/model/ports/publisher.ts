import type { HpaName } from "../hpa-key";
import { type fullType, leftOutType } from "../notification";
import type { NotificationData } from "../schema/notification";

/** CloudEvents 1.0, structured JSON. docs/schema/notifications */
export type CloudEvent = HpaNotification | LeftOutNotification;

interface Envelope {
  readonly specversion: "1.0";
  readonly id: string;
  readonly source: string;
  readonly time: string;
  readonly datacontenttype: "application/json";
}

export interface HpaNotification extends Envelope {
  readonly type: ReturnType<typeof fullType>;
  readonly subject: string;
  readonly data: HpaName & NotificationData;
}

export interface LeftOutNotification extends Envelope {
  readonly type: typeof leftOutType;
  readonly data: { readonly summary: string; readonly hour: string; readonly leftOut: number; readonly cap: number };
}

export function isOfHpa(event: CloudEvent): event is HpaNotification {
  return event.type !== leftOutType;
}

export const mostPublished = 10;

export interface Publisher {
  /**
   * At most `mostPublished` events. Resolves to those that were not accepted, by id.
   *
   * @throws Fault if nothing is known of any
   */
  publish(events: readonly CloudEvent[], signal: AbortSignal): Promise<ReadonlyMap<string, RefusedEvent>>;
}

export interface RefusedEvent {
  readonly message: string;
  /** The event itself is refused: sending it again cannot help. */
  readonly isFinal: boolean;
}

import type { Load } from "./fleet";

/** One of the two controllers, as the bench drives and watches it. */
export interface Side {
  readonly pid: number;
  setLoad(load: Load): Promise<void> | void;
  /** Handles every HPA once. */
  round(): Promise<Round>;
  stop(): Promise<void>;
}

export interface Round {
  /** Of `performance.now()`. */
  readonly from: number;
  readonly to: number;
  /** HPAs that it did not come to before the next slot. */
  readonly missed?: number;
  /** Requests that the API server passes on to another and does not count itself. */
  readonly passedOn?: Readonly<Record<string, number>>;
}

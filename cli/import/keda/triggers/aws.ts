import type { TriggerReader } from "../trigger";

/** What every AWS trigger has and ebb's functions have otherwise. */
export function noteAws(trigger: TriggerReader): void {
  const owner = trigger.text("identityOwner");
  if (owner !== undefined)
    trigger.note("identityOwner", "is not carried over: the functions' own role reads the metric");
  if (trigger.text("awsEndpoint") !== undefined) {
    trigger.note("awsEndpoint", "is not carried over: the region's own endpoint is asked");
  }
}

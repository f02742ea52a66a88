/** A KEDA trigger, as a kind reads it. Names are those of the trigger's metadata. The user sees every note. */
export interface KedaTrigger {
  /** A setting. If it comes from the container's environment: undefined, with a note. */
  text(name: string): string | undefined;
  /** Like `text`, with a note if the setting is missing. */
  required(name: string): string | undefined;
  flag(name: string, fallback: boolean): boolean;
  /** KEDA does not start the first replica up to this value: it becomes the activation of the metric. */
  activation(name: string): void;
  note(name: string, text: string): void;
}

/** What a trigger becomes. */
export interface FromKeda {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** A quantity: for each replica, or for all of them with metricType Value. */
  readonly target: string;
  /** Whether labels can hold the parameters: all are text, and all are present. Otherwise they go into an entry. */
  readonly fitsLabels?: boolean;
}

/** An object of the parameters that are set. */
export function onlySet(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** A whole number as a number. Anything else stays as it is: the source that reads it says what is wrong. */
export function numeric(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Notes on the settings of every AWS trigger that the functions configure differently. */
export function noteAws(trigger: KedaTrigger): void {
  if (trigger.text("identityOwner") !== undefined)
    trigger.note("identityOwner", "is not carried over: the functions' own role reads the metric");
  if (trigger.text("awsEndpoint") !== undefined)
    trigger.note("awsEndpoint", "is not carried over: ebb asks the region's own endpoint");
}

/** A KEDA trigger, as a kind reads it. Names are those of the trigger's metadata. The user sees every note. */
export interface KedaTrigger {
  /** Of the ScaledObject. */
  readonly namespace: string;
  /** A setting. If it comes from the container's environment: undefined, with a note. */
  text(name: string): string | undefined;
  /** A setting of the metadata itself, without a note: its place elsewhere is for `lost` or `secret`. */
  given(name: string): string | undefined;
  /** Like `text`, with a note if the setting is missing. */
  required(name: string): string | undefined;
  flag(name: string, fallback: boolean): boolean;
  /** KEDA does not start the first replica up to this value: it becomes the activation of the metric. */
  activation(name: string): void;
  note(name: string, text: string): void;
  /** Notes `text` on a setting that no entry holds, wherever it comes from. Whether there is such a setting. */
  lost(name: string, text: string): boolean;
  /** A credential: it belongs into the source's secret, as this member. Whether there is one. */
  secret(name: string, member: string): boolean;
}

/** What a trigger becomes. */
export interface FromKeda {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** A quantity: for each replica, or for all of them with metricType Value. */
  readonly target: string;
  /** Whether labels can hold the parameters: all are text, and all are present. Otherwise they go into an entry. */
  readonly fitsLabels?: boolean;
  /** Where this kind would read another number: the name of one that could read it. The HPA holds its size. */
  readonly kind?: string;
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
  noteAwsCredentials(trigger);
  trigger.lost("awsEndpoint", "is not carried over: ebb asks the region's own endpoint");
}

const awsCredentials = ["identityOwner", "awsRoleArn", "awsAccessKeyID", "awsSecretAccessKey", "awsSessionToken"];

export function noteAwsCredentials(trigger: KedaTrigger): void {
  for (const name of awsCredentials)
    trigger.lost(name, "is not carried over: the functions' own role reads the metric");
}

/** Notes on what KEDA's servers with TLS have. */
export function noteTls(trigger: KedaTrigger, whose: string): void {
  if (trigger.flag("unsafeSsl", false))
    trigger.note("unsafeSsl", `is not carried over: set certificateAuthorityData to ${whose} CA`);
  trigger.lost("ca", "is not carried over: write it into the entry as certificateAuthorityData, as base64");
  trigger.secret("cert", "certificate");
  trigger.secret("key", "key");
  trigger.lost("keyPassword", "is not carried over: the secret holds the key without a password");
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** KEDA's timeout, in milliseconds or like 30s, as whole seconds that a source may have. */
export function timeoutOf(trigger: KedaTrigger): number | undefined {
  const text = trigger.text("timeout");
  if (text === undefined) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)];
  const isDuration = parts.length > 0 && parts.map(([part]) => part).join("") === text;
  const durationMs = parts.reduce((sum, [, value, unit = ""]) => sum + Number(value) * (units[unit] ?? NaN), 0);
  const milliseconds = isDuration ? durationMs : /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(milliseconds)) {
    trigger.note("timeout", `is not carried over: expected milliseconds or a duration such as 5s, got ${text}`);
    return undefined;
  }
  const seconds = Math.min(10, Math.max(1, Math.ceil(milliseconds / 1000)));
  if (milliseconds !== seconds * 1000)
    trigger.note("timeout", `was ${text}: timeoutSeconds is ${seconds}, of whole seconds from 1 to 10`);
  return seconds;
}

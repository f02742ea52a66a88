import { templateOf } from "./network/template";

/** The worst first. `held`: the HPA never scales down. `step`: no harm once a person has done it. */
export const harms = ["held", "credential", "zero", "activity", "size", "step", "none"] as const;

export type Harm = (typeof harms)[number];

/** Names are those of the trigger's metadata. The user sees every note. */
export interface KedaTrigger {
  readonly namespace: string;
  /** Undefined, with a note, if it is in the container's environment. */
  text(name: string): string | undefined;
  given(name: string): string | undefined;
  /** True if it is set, here or elsewhere. */
  isSet(name: string): boolean;
  required(name: string): string | undefined;
  flag(name: string, fallback: boolean): boolean;
  /** KEDA starts the first replica above this value: it becomes the metric's activation. */
  activation(name: string): void;
  note(name: string, text: string, harm: Harm): void;
  /** Notes a setting without an effect here. True if it is set. */
  unneeded(name: string): boolean;
  /** Notes a setting that no entry holds. True if it is set. Default: a `step`. */
  lost(name: string, text: string, harm?: Harm): boolean;
  /** Notes a setting that belongs in the source's secret as `member`. True if it is set. */
  secret(name: string, member: string): boolean;
}

export interface FromKeda {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly target: string;
  /** True if all parameters are text, so labels can hold them. */
  readonly fitsLabels?: boolean;
  /** A kind that reads the same number, where this one would not: the HPA then keeps its size. */
  readonly kind?: string;
}

/** KEDA knows no placeholders. */
export function literal(text: string | undefined): string | undefined {
  return text === undefined ? undefined : templateOf(text);
}

export function onlySet(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** KEDA takes 0 for a setting that is not there, where it has several for one target. */
export function nonZero(trigger: KedaTrigger, name: string): string | undefined {
  const text = trigger.text(name);
  return Number(text) === 0 ? undefined : text;
}

/** Other text stays: the source's own check reports it. */
export function numeric(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

export function noteAws(trigger: KedaTrigger): void {
  noteAwsCredentials(trigger);
  trigger.lost("awsEndpoint", "is not carried over: ebb asks the region's own endpoint", "size");
}

const awsCredentials = ["awsRoleArn", "awsAccessKeyID", "awsSecretAccessKey", "awsSessionToken"];

export function noteAwsCredentials(trigger: KedaTrigger): void {
  trigger.unneeded("identityOwner");
  for (const name of awsCredentials)
    trigger.lost(name, "is not carried over: the functions' own role reads the metric");
}

export function noteTls(trigger: KedaTrigger, whose: string): void {
  if (trigger.flag("unsafeSsl", false))
    trigger.note("unsafeSsl", `is not carried over: set certificateAuthorityData to ${whose} CA`, "step");
  trigger.lost("ca", "is not carried over: write it into the entry as certificateAuthorityData, as base64");
  trigger.secret("cert", "certificate");
  trigger.secret("key", "key");
  trigger.lost("keyPassword", "is not carried over: the secret holds the key without a password");
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Within half of the default sync period. */
const mostSeconds = 7;

/** In whole seconds within a source's limits. KEDA has milliseconds, or text like 30s. */
export function timeoutOf(trigger: KedaTrigger): number | undefined {
  const text = trigger.text("timeout");
  if (text === undefined) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)];
  const isDuration = parts.length > 0 && parts.map(([part]) => part).join("") === text;
  const durationMs = parts.reduce((sum, [, value, unit = ""]) => sum + Number(value) * (units[unit] ?? NaN), 0);
  const milliseconds = isDuration ? durationMs : /^\d{1,9}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(milliseconds)) {
    trigger.note("timeout", `is not carried over: expected milliseconds or a duration such as 5s, got ${text}`, "size");
    return undefined;
  }
  const seconds = Math.min(mostSeconds, Math.max(1, Math.ceil(milliseconds / 1000)));
  if (milliseconds !== seconds * 1000)
    trigger.note(
      "timeout",
      `was ${text}: timeoutSeconds is ${seconds}, of whole seconds from 1 to ${mostSeconds}`,
      milliseconds > seconds * 1000 ? "size" : "none",
    );
  return seconds;
}

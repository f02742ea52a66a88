import type { MetricSpec, MetricTarget } from "../../../../lib/k8s/hpa";
import { descriptionOf, descriptions } from "../../../../lib/sources/descriptions";
import type { Fallback, MetricRules } from "../../../../lib/model/metric/metric-rules";
import type { DescribedKind } from "../../../../lib/sources/description";
import { isMap, present } from "../../../../lib/k8s/map";
import { type Authentication, type FindAuthentication, readAuthentication } from "./authentication";
import { placeInCluster } from "./in-cluster";
import { type Fields, type Note, takeFrom, type Taking, settingText, withoutEffect } from "./left-over";
import { type ConversionTrial, type SettingChange, sourceProblems } from "./source-problems";
import { type Converted, readTrigger, type SourceTrigger, type TriggerReader, type ResourceTrigger } from "./trigger";
import { unreadKind } from "./unread-kind";

export interface ConvertedTrigger {
  readonly metric: MetricSpec;
  /** Without a source, they go into the HPA's annotation. */
  readonly rules?: MetricRules;
  readonly source?: ConvertedSource;
  readonly notes: readonly Note[];
  /** Why ebb refuses the source, by the trigger's settings. */
  readonly problems: readonly string[];
}

export interface ConvertedSource {
  readonly name: string;
  readonly kind: string;
  readonly parameters: Fields;
  readonly rules: MetricRules;
}

type Convert = (trigger: TriggerReader) => Converted;

/** Triggers without a source, or with a kind that this version cannot read. */
export const unread: Readonly<Record<string, Convert>> = {
  cpu: resource("cpu"),
  memory: resource("memory"),
};

const kinds: readonly DescribedKind[] = Object.values(descriptions);

/** By trigger type. Kinds of sources have their own. */
export const converters: ReadonlyMap<string, Convert> = new Map([
  ...Object.entries(unread),
  ...kinds.flatMap(({ name, keda }) =>
    Object.entries(keda).map(([type, convert]) => {
      return [type, (trigger: TriggerReader) => ({ kind: name, ...convert(trigger) })] as const;
    }),
  ),
]);

export const isRead = (kind: string) => descriptionOf(kind) !== undefined;

/** On an unreadable metric, a fallback would begin at once, and could lower a size that works. */
export function withFallback(rules: MetricRules, kind: string, fallback: Fallback | undefined): MetricRules {
  return fallback !== undefined && isRead(kind) ? { ...rules, fallback } : rules;
}

export interface TriggerLocation {
  readonly name: string;
  readonly path: string;
  readonly fallback: Fallback | undefined;
  /** Absent: the first one. */
  readonly container: string | undefined;
  readonly namespace: string;
  readonly authentications: FindAuthentication;
}

export function convertTrigger(given: unknown, place: TriggerLocation): ConvertedTrigger {
  const { name, path, fallback } = place;
  const fields = takeFrom(given, path);
  const { type, authentication, trigger, converted, unresolved, needsSecret, asked } = readGiven(fields, place);
  const metricType = fields.take("metricType") ?? trigger.text("type");
  // KEDA does not read it since 2.10.
  if (trigger.metadata.left().some(({ field }) => field.endsWith(".metricName"))) trigger.unneeded("metricName");
  fields.take("name");
  const notes = [...(authentication?.left() ?? unresolved), ...caching(fields, path)];
  const said = [...trigger.notes, ...notes, ...trigger.metadata.left(), ...fields.left()];
  if ("resource" in converted) return { metric: ofPods(converted, metricType), notes: said, problems: [] };
  const { kind, fitsLabels = false } = converted;
  const { parameters, notes: reaching } = reached(converted, place, needsSecret);
  const problems = sourceProblems(path, { kind, parameters, asked }, (change) => trialWith(given, place, change));
  said.push(...reaching, ...(needsSecret ? withoutTls(parameters, path) : []));
  const rules = withFallback(trigger.rules(), kind, fallback);
  const target = sourceTarget(converted, metricType);
  if (fitsLabels) {
    const matchLabels = parameters as Readonly<Record<string, string>>;
    return {
      metric: { type: "External", external: { metric: { name: kind, selector: { matchLabels } }, target } },
      rules,
      notes: said,
      problems,
    };
  }
  if (!converters.has(type))
    said.push({ field: path, text: "has 1 as a placeholder for its target: set the real one", harm: "held" });
  if (!isRead(kind)) {
    said.push({ field: path, text: unreadable(kind), harm: "held" });
    if (fallback !== undefined)
      said.push({ field: "spec.fallback", text: `is not set on ${path}: it would count at once`, harm: "size" });
  }
  return {
    metric: { type: "External", external: { metric: { name }, target } },
    source: { name, kind, parameters, rules },
    notes: said,
    problems,
  };
}

/** Reads all that decides about the source. */
function readGiven(fields: Taking, place: TriggerLocation, { without, extra }: SettingChange = {}) {
  const { path, namespace, container } = place;
  const type = settingText(fields.take("type")) ?? "";
  const given = fields.take("metadata");
  const reference = fields.take("authenticationRef") ?? undefined;
  const found = authenticationOf(reference, place);
  const isLeft = (name: string) => name !== without && name !== `${without}FromEnv`;
  const authentication = found && {
    ...found,
    take: (name: string) => (isLeft(name) ? found.take(name) : undefined),
  };
  const own = Object.entries(isMap(given) ? given : {}).filter(([name]) => isLeft(name));
  const metadata = Object.fromEntries(extra === undefined ? own : [...own, [extra, "1"]]);
  const at = { path: `${path}.metadata`, namespace, authentication, container };
  const trigger = readTrigger(takeFrom(metadata, at.path), at);
  const converted = (converters.get(type) ?? unreadKind(type, metadata))(trigger);
  const unresolved = authentication === undefined ? unknownAuthentication(reference, path, converted) : [];
  const needsSecret = trigger.needsSecret() || (unresolved.length > 0 && !isOfRole(converted));
  return { type, authentication, trigger, converted, unresolved, needsSecret, asked: trigger.asked() };
}

function reached(converted: SourceTrigger, { path, namespace }: TriggerLocation, hasCredential: boolean) {
  return placeInCluster({ ...converted, path, namespace, hasCredential });
}

function trialWith(given: unknown, place: TriggerLocation, change: SettingChange): ConversionTrial {
  const { converted, needsSecret, asked } = readGiven(takeFrom(given, place.path), place, change);
  if ("resource" in converted) return { kind: "", parameters: {}, asked: [] };
  const { parameters } = reached(converted, place, needsSecret);
  return { kind: converted.kind, parameters, asked };
}

/** The metric stays and holds the replicas: without it, the other metrics could lower them. */
export function unreadable(kind: string): string {
  return `needs a source of kind "${kind}", which this version of ebb cannot read: the HPA never scales down until one can`;
}

function ofPods(
  { resource: name, container, target: value }: Extract<Converted, { resource: string }>,
  metricType: unknown,
): MetricSpec {
  const target: MetricTarget =
    metricType === "AverageValue"
      ? { type: "AverageValue", averageValue: value }
      : { type: "Utilization", averageUtilization: Number(value) };
  if (container === undefined) return { type: "Resource", resource: { name, target } };
  return { type: "ContainerResource", containerResource: { name, container, target } };
}

/** Upstream, KEDA 2.21: quantityFromFloat64 (pkg/scalers/scaler.go) rounds to thousandths, a quantity up. */
function sourceTarget({ target: given }: SourceTrigger, metricType: unknown): MetricTarget {
  const target = /\.\d{4,}$|[eE]-/.test(given) ? String(Number(Number(given).toFixed(3))) : given;
  return metricType === "Value" ? { type: "Value", value: target } : { type: "AverageValue", averageValue: target };
}

function authenticationOf(reference: unknown, place: TriggerLocation): Authentication | undefined {
  if (!isMap(reference)) return undefined;
  const { namespace, authentications, path } = place;
  const kind = settingText(reference["kind"]) ?? "TriggerAuthentication";
  const object = authentications({ kind, name: settingText(reference["name"]) ?? "", namespace });
  return object && readAuthentication(object, `${path}.authenticationRef`);
}

/** KEDA sends credentials to servers without TLS, too. */
function withoutTls({ url, tls }: Fields, path: string): Note[] {
  if (tls !== false && !(typeof url === "string" && url.startsWith("http://"))) return [];
  const field = tls === false ? "tls: false" : String(url);
  const text = `has a credential and ${field}: ebb sends one over TLS only, so serve TLS and change it`;
  return [{ field: path, text, harm: "credential" }];
}

/** The functions' role reads it, not a secret's credential. */
function isOfRole(converted: Converted): boolean {
  if ("resource" in converted) return false;
  const { sigv4Region, awsIam } = converted.parameters;
  if (sigv4Region !== undefined || awsIam === true) return true;
  return kinds.some(({ name, iam, fields }) => name === converted.kind && iam.length > 0 && !("secret" in fields));
}

function unknownAuthentication(reference: unknown, path: string, converted: Converted): Note[] {
  if (reference === undefined) return [];
  const { name, kind = "TriggerAuthentication" } = isMap(reference) ? reference : {};
  const needsRole = isOfRole(converted);
  const instead = needsRole
    ? "grant the functions' role the right to read the metric"
    : "put its credentials into a secret, and name it in the source";
  const text = `${String(kind)} ${String(name)} is not carried over: ${instead}`;
  return [{ field: `${path}.authenticationRef`, text, harm: "step" }];
}

function caching(fields: ReturnType<typeof takeFrom>, path: string): Note[] {
  return fields.take("useCachedMetrics") === true ? [withoutEffect(`${path}.useCachedMetrics`)] : [];
}

/** KEDA leaves these to the HPA. */
function resource(name: ResourceTrigger["resource"]): (trigger: TriggerReader) => ResourceTrigger {
  return (trigger) => {
    const container = trigger.text("containerName");
    const target = (trigger.text("value") ?? "").replace(/^\+/, "");
    return { resource: name, target, ...present({ container }) };
  };
}

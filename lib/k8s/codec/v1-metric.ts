import type { MetricSpec, MetricStatus, Quantity, Behavior, CrossVersionObjectReference, ScalingRules } from "../hpa";
import { isAbsent, isMap } from "../map";
import { parseQuantity, signOf } from "../quantity";
import { decodeMetric, decodeMetricStatus, labelSelector, reference } from "./decode-v2";
import { type Decoder, int32, object, optional, quantity, string } from "./decoder";
import type { LabelSelector } from "../objects";

/**
 * For v2beta1 and v1's annotations; v2alpha1 has fewer fields. Upstream:
 * Convert_autoscaling_MetricSpec_To_v1_MetricSpec and its like, pkg/apis/autoscaling/v1/conversion.go.
 */

interface Form {
  readonly decode: Decoder<unknown>;
  readonly encode: (value: unknown) => unknown;
}

const form = <T>(decode: Decoder<T>, encode: (value: T) => unknown = (value) => value) => ({ decode, encode }) as Form;

const text = form(string);
const number = form(optional(int32));
const aQuantity = form(optional(quantity), (value) => (value === undefined ? undefined : String(value)));
/** By value in Go: absent is zero. */
const quantityOrZero = form(
  (value, context) => (isAbsent(value) ? "0" : quantity(value, context)),
  (value: Quantity | undefined) => String(value ?? "0"),
);
const selector = form(optional(labelSelector), v1Selector);
const target = form(reference, v1Reference);

/** Name in v1, path in v2. */
type Row = readonly [v1: string, v2: string, form: Form];
type Table = Readonly<Record<"object" | "pods" | "resource" | "containerResource" | "external", readonly Row[]>>;

/** In the order of Go's structs. */
const specTable: Table = {
  object: [
    ["target", "describedObject", target],
    ["metricName", "metric.name", text],
    ["targetValue", "target.value", quantityOrZero],
    ["selector", "metric.selector", selector],
    ["averageValue", "target.averageValue", aQuantity],
  ],
  pods: [
    ["metricName", "metric.name", text],
    ["targetAverageValue", "target.averageValue", quantityOrZero],
    ["selector", "metric.selector", selector],
  ],
  ...resources([
    ["name", "name", text],
    ["targetAverageUtilization", "target.averageUtilization", number],
    ["targetAverageValue", "target.averageValue", aQuantity],
  ]),
  external: [
    ["metricName", "metric.name", text],
    ["metricSelector", "metric.selector", selector],
    ["targetValue", "target.value", aQuantity],
    ["targetAverageValue", "target.averageValue", aQuantity],
  ],
};

const statusTable: Table = {
  object: [
    ["target", "describedObject", target],
    ["metricName", "metric.name", text],
    ["currentValue", "current.value", quantityOrZero],
    ["selector", "metric.selector", selector],
    ["averageValue", "current.averageValue", aQuantity],
  ],
  pods: [
    ["metricName", "metric.name", text],
    ["currentAverageValue", "current.averageValue", quantityOrZero],
    ["selector", "metric.selector", selector],
  ],
  ...resources([
    ["name", "name", text],
    ["currentAverageUtilization", "current.averageUtilization", number],
    ["currentAverageValue", "current.averageValue", quantityOrZero],
  ]),
  external: [
    ["metricName", "metric.name", text],
    ["metricSelector", "metric.selector", selector],
    ["currentValue", "current.value", quantityOrZero],
    ["currentAverageValue", "current.averageValue", aQuantity],
  ],
};

function resources(rows: readonly Row[]) {
  return { resource: rows, containerResource: [...rows, ["container", "container", text]] } satisfies Partial<Table>;
}

export const decodeV1Metric = decoderOf(specTable, decodeMetric);
export const decodeV1MetricStatus = decoderOf(statusTable, decodeMetricStatus);

export const v1MetricSpec = (metric: MetricSpec) => encoded(metric, specTable);
export const v1MetricStatus = (metric: MetricStatus) => encoded(metric, statusTable);

type Fields = Record<string, unknown>;

/** `decodeV2` restores v2's order. */
function decoderOf<Metric>(table: Table, decodeV2: Decoder<Metric>): Decoder<Metric> {
  const sources = Object.entries(table).map(([kind, rows]) => {
    const fields = object<Fields>(Object.fromEntries(rows.map(([name, , { decode }]) => [name, decode])));
    return [kind, optional(fields)] as const;
  });
  const decode = object<Fields>({ type: string, ...Object.fromEntries(sources) });
  return (value, context) => {
    const metric = decode(value, context);
    for (const [kind, rows] of Object.entries(table)) {
      const source = metric[kind];
      if (isMap(source)) metric[kind] = moved(source, rows, kind === "object");
    }
    return decodeV2(metric, context);
  };
}

function moved(source: Fields, rows: readonly Row[], isObject: boolean): Fields {
  const to: Record<string, Fields> = {};
  for (const [name, path] of rows) {
    const [outer = path, inner] = path.split(".");
    to[outer] = inner === undefined ? (source[name] as Fields) : { ...to[outer], [inner]: source[name] };
  }
  return to["target"] === undefined ? to : { ...to, target: withType(to["target"], isObject) };
}

/** v1 has no type. */
function withType(target: Fields, isObject: boolean): Fields {
  const { value, averageValue, averageUtilization } = target;
  if (averageUtilization !== undefined) return { ...target, type: "Utilization" };
  if (!isObject || averageValue === undefined) {
    return { ...target, type: value === undefined ? "AverageValue" : "Value" };
  }
  // v1 always has targetValue: beside averageValue, zero means unset.
  const isUnset = signOf(parseQuantity(value as Quantity)) === 0;
  return { ...target, type: "AverageValue", value: isUnset ? undefined : value };
}

function encoded(metric: MetricSpec | MetricStatus, table: Table): object {
  const sources = Object.entries(table).map(([kind, rows]) => {
    const source: unknown = metric[kind as keyof Table];
    return [kind, isMap(source) ? encodedSource(source, rows) : undefined];
  });
  return { type: metric.type, ...Object.fromEntries(sources) } as object;
}

function encodedSource(source: Fields, rows: readonly Row[]): object {
  return Object.fromEntries(
    rows.map(([name, path, { encode }]) => {
      const [outer = path, inner] = path.split(".");
      const value = source[outer];
      return [name, encode(inner === undefined ? value : (value as Fields)[inner])];
    }),
  );
}

/** In the order of Go's structs. */

export function v1Reference({ kind, name, apiVersion }: CrossVersionObjectReference): CrossVersionObjectReference {
  return { kind, name, ...(apiVersion === undefined || apiVersion === "" ? {} : { apiVersion }) };
}

/** JSON.stringify leaves out undefined fields, as Go leaves out nil. */
function v1Selector(given: LabelSelector | undefined): object | undefined {
  if (given === undefined) return undefined;
  const { matchLabels = {}, matchExpressions = [] } = given;
  return {
    matchLabels: Object.keys(matchLabels).length === 0 ? undefined : sorted(matchLabels),
    matchExpressions:
      matchExpressions.length === 0
        ? undefined
        : matchExpressions.map(({ key, operator, values = [] }) => ({
            key,
            operator,
            values: values.length === 0 ? undefined : values,
          })),
  };
}

export function sorted(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function withoutUndefined<T extends object>(fields: { readonly [Name in keyof T]-?: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Upstream's type has no JSON names here: Go's field names, and null for unset fields. */
export function v1Behavior({ scaleUp, scaleDown }: Behavior): object {
  return { ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) };
}

function rules(given: ScalingRules | undefined): object | null {
  if (given === undefined) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = given;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies:
      policies?.map(({ type, value, periodSeconds }) => ({ Type: type, Value: value, PeriodSeconds: periodSeconds })) ??
      null,
    Tolerance: tolerance === undefined ? null : String(tolerance),
  };
}

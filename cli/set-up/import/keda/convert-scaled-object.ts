import { dryRunAnnotation, pausedAnnotation } from "../../../../lib/model/entry/annotation-names";
import { rulesAnnotation } from "../../../../lib/model/entry/metric-rules";
import { metricLabel } from "../../../../lib/model/metric/metric-label";
import type { FindAuthentication } from "./authentication";
import { convertBehavior, readPauses } from "./convert-behavior";
import { convertFallback } from "./convert-fallback";
import { convertModifiers } from "./convert-modifiers";
import { inWordsOf } from "./in-words";
import { convertReplicas, zeroStatus } from "./convert-zero";
import { type ConvertedSource, type ConvertedTrigger, convertTrigger } from "./convert-trigger";
import { isMap, present } from "../../../../lib/k8s/map";
import { type Fields, type Note, takeFrom, type Taking, settingText, withoutEffect } from "./left-over";

export interface ConvertedObject {
  readonly documents: readonly Fields[];
  readonly notes: readonly Note[];
  /** Why ebb refuses the documents, in the words of the object. */
  readonly problems: readonly string[];
  /** A problem of a document, in the words of the object. */
  readonly inWords: (problem: string) => string;
}

export interface Conversion {
  readonly annotations: Readonly<Record<string, string>>;
  readonly namespace: string;
  readonly authentications?: FindAuthentication;
}

/** An unreadable metric stays, and holds the size. Upstream: newHPAForScaledObject (controllers/keda/hpa.go). */
export function convertScaledObject(object: Fields, conversion: Conversion): ConvertedObject {
  const metadata = isMap(object["metadata"]) ? object["metadata"] : {};
  const [name, namespace] = [
    settingText(metadata["name"]) ?? "",
    settingText(metadata["namespace"]) ?? conversion.namespace,
  ];
  const spec = takeFrom(object["spec"], "spec");
  const advanced = takeFrom(spec.take("advanced"), "spec.advanced");
  const config = takeFrom(
    advanced.take("horizontalPodAutoscalerConfig"),
    "spec.advanced.horizontalPodAutoscalerConfig",
  );
  const { fallback, notes: fallbackNotes } = convertFallback(spec);
  const target = takeFrom(spec.take("scaleTargetRef"), "spec.scaleTargetRef");
  const container = settingText(target.take("envSourceContainerName"));
  const { authentications = () => undefined } = conversion;
  const given = listOf(spec.take("triggers"));
  const names = sourceNames({ namespace, name }, given);
  const triggers = given.map((trigger, index) =>
    convertTrigger(trigger, {
      name: names.triggers[index] ?? "",
      path: `spec.triggers[${index}]`,
      fallback,
      container,
      namespace,
      authentications,
    }),
  );
  const modified = convertModifiers(advanced.take("scalingModifiers"), {
    given,
    converted: triggers,
    name: names.formula,
    fallback,
  });
  const metrics = modified?.metrics ?? triggers.map(({ metric }) => metric);
  const pauses = readPauses(metadata["annotations"]);
  const replicas = convertReplicas(spec, metrics, pauses);
  const behavior = convertBehavior(config.take("behavior"), pauses);
  const status = zeroStatus(object["status"], replicas, pauses);
  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: {
      name: settingText(config.take("name")) ?? name,
      namespace,
      ...(isMap(metadata["labels"]) && { labels: metadata["labels"] }),
      ...annotated({
        ...pauses.kept,
        ...conversion.annotations,
        ...(pauses.paused && { [pausedAnnotation]: "true" }),
        ...(modified === undefined && rulesAnnotated(triggers)),
        ...replicas.annotations,
      }),
    },
    spec: {
      scaleTargetRef: targetOf(target),
      minReplicas: replicas.minReplicas,
      maxReplicas: replicas.maxReplicas,
      metrics,
      ...(behavior && { behavior }),
    },
    ...present({ status }),
  };
  const sources = (modified?.sources ?? triggers.flatMap(({ source }) => source ?? [])).map((source) =>
    sourceDocument(source, conversion),
  );
  const used = triggers.filter((trigger) => modified?.unused.has(trigger) !== true);
  return {
    documents: [hpa, ...sources],
    problems: used.flatMap(({ problems }) => problems),
    inWords: (problem) => inWordsOf(object, metrics, problem),
    notes: [
      ...replicas.notes,
      ...pauses.notes,
      ...inOtherWords(spec, advanced),
      ...fallbackNotes,
      ...used.flatMap(({ notes }) => notes),
      ...(modified?.notes ?? []),
      ...[target, config, advanced, spec].flatMap((fields) => fields.left()),
    ],
  };
}

function inOtherWords(spec: Taking, advanced: Taking): Note[] {
  const notes: Note[] = [];
  if (spec.take("pollingInterval") !== undefined) notes.push(withoutEffect("spec.pollingInterval"));
  if (advanced.take("restoreToOriginalReplicaCount") === true) {
    // Upstream, KEDA 2.21: finalizeScaledObject (controllers/keda/scaledobject_finalizer.go).
    const text =
      "is not carried over, and ebb leaves the size as it is. Take it out before you delete the ScaledObject: KEDA would set the size from before it scaled";
    notes.push({ field: "spec.advanced.restoreToOriginalReplicaCount", text, harm: "size" });
  }
  return notes;
}

function rulesAnnotated(triggers: readonly ConvertedTrigger[]): Readonly<Record<string, string>> {
  const rules = triggers.flatMap(({ metric, rules = {} }) =>
    Object.keys(rules).length === 0 ? [] : [[metricLabel(metric), rules] as const],
  );
  return rules.length === 0 ? {} : { [rulesAnnotation]: JSON.stringify(Object.fromEntries(rules)) };
}

function targetOf(target: Taking): Fields {
  const apiVersion = target.take("apiVersion") ?? "apps/v1";
  const kind = target.take("kind") ?? "Deployment";
  return { apiVersion, kind, name: target.take("name") };
}

function sourceDocument({ name, kind, parameters, rules }: ConvertedSource, { annotations }: Conversion): Fields {
  const { [dryRunAnnotation]: _dryRun, ...ofSources } = annotations;
  return {
    apiVersion: "ebb.dev/v1",
    kind: "MetricSource",
    metadata: { name, ...annotated(ofSources) },
    spec: { kind, parameters, ...rules },
  };
}

function annotated(annotations: Readonly<Record<string, string>>): { readonly annotations?: Fields } {
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

interface SourceNames {
  readonly triggers: readonly string[];
  readonly formula: string;
}

/** `namespace.object.label`: neither a namespace nor a label has a dot, so the names of two objects never meet. */
export function sourceNames(
  place: { readonly namespace: string; readonly name: string },
  triggers: readonly unknown[],
): SourceNames {
  const bases = triggers.map((trigger) => {
    const { name, type } = isMap(trigger) ? trigger : {};
    return (settingText(name) || settingText(type) || "").replace(/[^\w-]/g, "-");
  });
  const taken = new Set(bases);
  const free = (base: string, index: number): string => {
    const label = `${base}-${index}`;
    return taken.has(label) ? free(label, index) : label;
  };
  const labels = bases.map((base, index) => {
    const label = bases.filter((other) => other === base).length > 1 ? free(base, index) : base;
    taken.add(label);
    return label;
  });
  const named = (label: string) => `${place.namespace}.${place.name}.${label}`;
  return {
    triggers: labels.map(named),
    formula: named(taken.has("formula") ? free("formula", 0) : "formula"),
  };
}

import type { HorizontalPodAutoscaler } from "../k8s/hpa";
import type { Pod } from "../k8s/objects";
import { type Selector, matches, parseSelector } from "../k8s/selector";
import { limits } from "../model/entry/limits";
import type { HpaEvent, Situation } from "../model/situation";
import type { Step } from "../model/step";
import type { Verdict } from "./conditions";

type ParsedSelector = { readonly selector: Selector } | { readonly error: string };

/** Each is compared with all others of its namespace. */
const parsed = new Map<string, ParsedSelector>();
/** A shard of the longest selectors: 8 bytes a character. */
const rememberedCharacters = 4_000_000;
const forEach = 100;
let characters = 0;

export function cachedSelector(text: string): ParsedSelector {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const { selectorCharacters: most } = limits;
  if (text.length > most)
    return { error: `expected at most ${most} characters, got ${text.length} (a limit of ebb): use fewer labels` };
  characters += text.length + forEach;
  if (characters > rememberedCharacters) {
    parsed.clear();
    characters = text.length + forEach;
  }
  const fresh = tryParse(text);
  parsed.set(text, fresh);
  return fresh;
}

function tryParse(text: string): ParsedSelector {
  try {
    return { selector: parseSelector(text) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

type Selection = { readonly kind: "selected"; readonly pods: readonly Pod[] } | Invalid;

interface Invalid {
  readonly kind: "invalid";
  readonly error: string;
  readonly verdicts: readonly Verdict[];
  readonly events: readonly HpaEvent[];
  readonly statuses: readonly [];
  readonly steps: readonly Step[];
}

/** Upstream: validateAndParseSelector, horizontal.go. */
export function selectPods(situation: Situation, selector: string | undefined): Selection {
  if (selector === undefined || selector === "") {
    const message = "the HPA target's scale is missing a selector";
    return invalid("SelectorRequired", "selector is required", { reason: "InvalidSelector", message });
  }
  const parsed = cachedSelector(selector);
  if ("error" in parsed) {
    return invalid(
      "InvalidSelector",
      `couldn't convert selector into a corresponding internal selector object: ${parsed.error}`,
    );
  }
  const pods = situation.pods.filter((pod) => isAnybodys(pod) || matches(parsed.selector, pod.metadata.labels ?? {}));
  const controllers = controllersOf(pods, situation);
  if (controllers.length > 1) {
    return invalid(
      "AmbiguousSelector",
      `pods by selector ${selector} are controlled by more than one HPA (e.g. [${controllers.join(" ")}])`,
    );
  }
  return { kind: "selected", pods };
}

/** Nobody knows whose pod it is, so every HPA counts it. */
export function isAnybodys({ unreadable, metadata }: Pod): boolean {
  return unreadable === true && metadata.labels === undefined;
}

function invalid(reason: string, error: string, shown = { reason, message: error }): Selection {
  return {
    kind: "invalid",
    error,
    verdicts: [{ type: "ScalingActive", status: "False", ...shown }],
    events: [{ type: "Warning", reason, message: error }],
    statuses: [],
    steps: [{ stage: "metric", replicas: null, limitedBy: reason, because: error }],
  };
}

/** This HPA and the first other by name, sorted. Upstream names any two, in the order of a Go map. */
function controllersOf(pods: readonly Pod[], { hpa, otherHpas }: Situation): readonly string[] {
  if (pods.length === 0) return [];
  const namespace = hpaNamespace(hpa);
  const others = otherHpas
    .filter((other) => other.namespace === namespace && other.name !== hpa.metadata.name)
    .filter((other) => selectsAny(other.selector, pods))
    .map(({ name }) => name)
    .sort();
  return [hpa.metadata.name, ...others.slice(0, 1)].sort().map((name) => `${namespace}/${name}`);
}

/** Upstream registers a selector only after reading it. */
function selectsAny(selector: string, pods: readonly Pod[]): boolean {
  const parsed = selector === "" ? undefined : cachedSelector(selector);
  if (parsed === undefined || "error" in parsed) return false;
  return pods.some(({ metadata }) => matches(parsed.selector, metadata.labels ?? {}));
}

export function hpaNamespace(hpa: HorizontalPodAutoscaler): string {
  return hpa.metadata.namespace ?? "default";
}

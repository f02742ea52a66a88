import { parseGoBool } from "../../../../lib/k8s/go-text";
import { isQuantity, parseMilli } from "../../../../lib/k8s/quantity";
import type { MetricRules } from "../../../../lib/model/metric/metric-rules";
import { withoutCredentials } from "../../../../lib/sources/credentials";
import type { FromKeda, Harm, KedaTrigger } from "../../../../lib/sources/keda";
import type { Authentication } from "./authentication";
import type { Setting } from "./source-problems";
import { type Note, type Taking, settingText, trimmedSetting, withoutEffect } from "./left-over";

export type Converted = ResourceTrigger | SourceTrigger;

export interface ResourceTrigger {
  readonly resource: "cpu" | "memory";
  readonly container?: string;
  readonly target: string;
}

export interface SourceTrigger extends FromKeda {
  readonly kind: string;
}

export interface TriggerReader extends KedaTrigger {
  readonly metadata: Taking;
}

interface TriggerContext {
  readonly path: string;
  readonly namespace: string;
  readonly authentication: Authentication | undefined;
  readonly container: string | undefined;
}

export interface ReadTrigger extends TriggerReader {
  readonly notes: readonly Note[];
  readonly rules: () => MetricRules;
  readonly needsSecret: () => boolean;
  readonly asked: () => readonly Setting[];
}

interface Instead {
  readonly elsewhere: string;
  readonly here?: string;
  readonly harm?: Harm;
}

export function readTrigger(
  metadata: Taking,
  { path, namespace, authentication, container }: TriggerContext,
): ReadTrigger {
  const notes: Note[] = [];
  const looked = new Map<string, string | undefined>();
  const isElsewhere = new Set<string>();
  const asked = new Map<string, Setting>();
  let needsSecret = false;
  let rules: MetricRules = {};
  const note = (name: string, text: string, harm: Harm) => void notes.push({ field: `${path}.${name}`, text, harm });
  const whose = container === undefined ? "the container's environment variable" : `container ${container}'s variable`;
  const clear = (name: string, given: string | undefined) => {
    const { text, lost } = withoutCredentials(given ?? "", name);
    if (lost.length === 0) return given;
    needsSecret = true;
    note(name, `is carried over without ${lost.join(", ")}: put them into a secret, and name it in the entry`, "step");
    return text;
  };
  const ask = (
    name: string,
    value: string | undefined,
    { isGiven = value !== undefined, field = `${path}.${name}` } = {},
  ) => {
    asked.set(name, { name, field, value, isGiven });
    return value;
  };
  /** KEDA looks in the metadata first, then in the authentication, then in the container's environment. */
  const find = (name: string, instead: Instead) => {
    const { harm = "step" } = instead;
    const [given, fromEnv] = [metadata.take(name), metadata.take(`${name}FromEnv`)];
    const value = trimmedSetting(given)?.replace(/^https?:(?=\/\/)/i, (scheme) => scheme.toLowerCase());
    const place = authentication?.take(name);
    const others: Note[] = [];
    if (place !== undefined) others.push({ field: place.field, text: `was ${place.text}: ${instead.elsewhere}`, harm });
    if (fromEnv !== undefined) {
      const was = `was ${whose} ${settingText(fromEnv)}: ${instead.elsewhere}`;
      others.push({ field: `${path}.${name}FromEnv`, text: was, harm });
    }
    const isThere = value !== undefined || others.length > 0;
    ask(name, undefined, { isGiven: isThere, ...(value === undefined && others[0] && { field: others[0].field }) });
    const unused = value === undefined ? others.splice(1) : others.splice(0);
    notes.push(...others, ...unused.map(({ field }) => withoutEffect(field)));
    if (value !== undefined && instead.here !== undefined) note(name, instead.here, harm);
    return { value, isThere };
  };
  const text = (name: string) => {
    if (looked.has(name)) return looked.get(name);
    const found = find(name, { elsewhere: `write the value of ${name} into the entry` });
    const value = clear(name, found.value);
    if (value === undefined && found.isThere) isElsewhere.add(name);
    else ask(name, value);
    looked.set(name, value);
    return value;
  };
  return {
    namespace,
    metadata,
    notes,
    rules: () => rules,
    note,
    text,
    isSet: (name) => text(name) !== undefined || isElsewhere.has(name),
    given: (name) => ask(name, clear(name, trimmedSetting(metadata.take(name)))),
    required(name) {
      const value = text(name);
      if (value === undefined && !isElsewhere.has(name))
        note(name, "is missing: ebb refuses the entry without it", "held");
      return value;
    },
    flag(name, fallback) {
      const value = text(name);
      return value === undefined ? fallback : parseGoBool(value) === true;
    },
    lost: (name, why, harm = "step") =>
      find(name, { elsewhere: why.replace(/^is not carried over: /, ""), here: why, harm }).isThere,
    unneeded(name) {
      const given = [name, `${name}FromEnv`].filter((one) => metadata.take(one) !== undefined);
      const place = authentication?.take(name);
      const fields = given.map((one) => `${path}.${one}`).concat(place === undefined ? [] : [place.field]);
      notes.push(...fields.map(withoutEffect));
      return fields.length > 0;
    },
    secret(name, member) {
      const put = `put it into a secret as ${member}, and name that in the entry`;
      const { isThere } = find(name, { elsewhere: put, here: `is not carried over: ${put}` });
      needsSecret ||= isThere;
      return isThere;
    },
    needsSecret: () => needsSecret,
    asked: () => [...asked.values()],
    activation(name) {
      const value = text(name);
      if (value === undefined || Number(value) === 0) return;
      if (isQuantity(value) && parseMilli(value) > 0n) rules = { activation: value };
      else note(name, "is not carried over: ebb's activation is a number, 0 or more", "activity");
    },
  };
}

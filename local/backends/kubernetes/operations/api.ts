import type { Clock } from "../../../clock";
import type { Random } from "../../../random";
import { withServerDefaults } from "./defaults";
import {
  jsonObjectOf,
  numberAt,
  textAt,
  timestamp,
  withField,
  type KubernetesObject,
  isJsonObject,
} from "../resources/object";
import { patchObject } from "./patch";
import { establish, type Registry } from "../resources/registry";
import { customResourceDefinitions, groupVersion, namespaces, pods, type ResourceKind } from "../resources/kinds";
import { scaleOf, withScale } from "./scale";
import { type StatusAnswer, alreadyExists, badRequest, notFoundError, success } from "../resources/status";
import type { ObjectStore } from "../resources/store";
import { validate } from "./validation";
import {
  type ObjectDeleteOptions,
  type Part,
  checkPlace,
  checkPreconditions,
  gracePeriod,
  merge,
  requireDeletable,
  withGeneration,
} from "./writing";

export interface ObjectTarget extends Part {
  readonly namespace: string;
  readonly name: string;
}

/** Each verb throws a StatusError with the real server's answer. */
export interface Api {
  get(target: ObjectTarget): KubernetesObject;
  create(place: Omit<ObjectTarget, "name">, body: unknown, dryRun?: boolean): KubernetesObject;
  update(target: ObjectTarget, body: unknown, dryRun?: boolean): KubernetesObject;
  patch(target: ObjectTarget, patch: unknown, mediaType: string, options?: PatchOptions): KubernetesObject;
  delete(target: ObjectTarget, options?: ObjectDeleteOptions): KubernetesObject | StatusAnswer;
}

export interface PatchOptions {
  readonly dryRun?: boolean;
  readonly accept?: (object: unknown) => unknown;
}

interface Parts {
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
}

export function createApi({ store, registry, clock, random }: Parts): Api {
  const current = ({ resource, namespace, name }: ObjectTarget): KubernetesObject => {
    const object = store.get(resource, namespace, name);
    if (object === undefined) throw notFoundError(resource, name);
    // Whatever version it was written in.
    return { ...object, apiVersion: groupVersion(resource) };
  };
  const scaleRuleOf = ({ resource, name }: ObjectTarget) => {
    if (resource.scale === undefined) throw notFoundError(resource, name);
    return resource.scale;
  };
  const shown = (target: ObjectTarget, object: KubernetesObject): KubernetesObject =>
    target.subresource === "scale" ? scaleOf(target.resource, scaleRuleOf(target), object) : object;

  // A patch may add the missing replicas of a custom object.
  const patchedScale = (target: ObjectTarget, object: KubernetesObject): KubernetesObject => {
    const rule = scaleRuleOf(target);
    const hasReplicas = numberAt(object, rule.specReplicasPath) !== undefined;
    return scaleOf(target.resource, rule, hasReplicas ? object : withField(object, rule.specReplicasPath, 0));
  };

  const write = (target: ObjectTarget, next: KubernetesObject, dryRun: boolean): KubernetesObject => {
    const before = current(target);
    const merged = { ...merge(target, before, next), apiVersion: groupVersion(target.resource) };
    validate(target.resource, merged, before);
    const written = withGeneration(target.resource, before, merged);
    if (dryRun) return shown(target, written);
    if (written.metadata.deletionTimestamp !== undefined && (written.metadata.finalizers ?? []).length === 0) {
      if (target.resource !== pods) return shown(target, store.remove(target.resource, written));
    }
    const stored = store.put(target.resource, written);
    if (target.resource === customResourceDefinitions) registry.define(stored);
    return shown(target, stored);
  };

  const update: Api["update"] = (target, body, dryRun = false) => {
    const before = current(target);
    if (target.subresource === "scale") {
      const rule = scaleRuleOf(target);
      return write(target, withScale({ resource: target.resource, rule, object: before }, body), dryRun);
    }
    checkPlace(body, before.metadata);
    return write(target, decode(target.resource, body), dryRun);
  };

  return {
    get: (target) => shown(target, current(target)),

    create({ resource, namespace }, body, dryRun = false) {
      const named = withName(decode(resource, body), random);
      const { uid: _uid, resourceVersion, ...metadata } = named.metadata;
      if ((resourceVersion ?? "") !== "")
        throw badRequest("resourceVersion should not be set on objects to be created");
      const place = textAt(body, "metadata.namespace") ?? namespace;
      if (resource.namespaced && place !== namespace) {
        throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
      }
      const { status: _status, ...rest } = named;
      const object: KubernetesObject = withServerDefaults(resource, {
        ...(resource.hasStatus ? rest : named),
        metadata: {
          ...metadata,
          ...(resource.namespaced && { namespace }),
          uid: random.uuid(),
          resourceVersion: "",
          ...(resource.hasStatus && resource !== namespaces && { generation: 1 }),
          creationTimestamp: timestamp(clock.now()),
        },
      });
      validate(resource, object, undefined);
      if (resource.namespaced && store.get(namespaces, "", namespace) === undefined) {
        throw notFoundError(namespaces, namespace);
      }
      if (store.get(resource, namespace, object.metadata.name)) throw alreadyExists(resource, object.metadata.name);
      if (resource !== customResourceDefinitions) return dryRun ? object : store.put(resource, object);
      const definition = establish(object, timestamp(clock.now()));
      if (dryRun) return definition;
      registry.define(definition);
      return store.put(resource, definition);
    },

    update,

    patch(target, patch, mediaType, { dryRun = false, accept = (object: unknown) => object } = {}) {
      const before = current(target);
      const base = target.subresource === "scale" ? patchedScale(target, before) : before;
      const patched = jsonObjectOf(accept(patchObject(base, patch, mediaType, target.resource.custom !== undefined)));
      // A patch without a resourceVersion applies to the current object.
      const version = textAt(patch, "metadata.resourceVersion");
      const next = { ...patched, metadata: { ...jsonObjectOf(patched["metadata"]), resourceVersion: version ?? "" } };
      if (target.subresource === "scale") return update(target, next, dryRun);
      return write(target, decode(target.resource, next), dryRun);
    },

    delete(target, options = {}) {
      const { resource } = target;
      const object = current(target);
      requireDeletable(resource, target.name);
      checkPreconditions(resource, object, options);
      if (options.dryRun === true) return success(resource, target.name, object.metadata.uid);
      if (options.orphans === true) orphanDependents({ store, registry }, object);
      if (resource === customResourceDefinitions) registry.forget(object);
      const grace = gracePeriod(resource, object, options);
      const finalizers = object.metadata.finalizers ?? [];
      if (grace === 0 && finalizers.length === 0) {
        const { generation = 0 } = object.metadata;
        const ended = { deletionTimestamp: timestamp(clock.now()), deletionGracePeriodSeconds: 0 };
        if (resource !== pods) {
          store.remove(resource, object);
          return success(resource, target.name, object.metadata.uid);
        }
        const metadata = { ...object.metadata, ...ended, generation: generation + 1 };
        return store.remove(resource, { ...object, metadata });
      }
      if (object.metadata.deletionTimestamp !== undefined && grace > 0) return object;
      const ends = { deletionTimestamp: timestamp(clock.now() + grace * 1_000), deletionGracePeriodSeconds: grace };
      return store.put(resource, { ...object, metadata: { ...object.metadata, ...ends } });
    },
  };
}

/** For propagationPolicy Orphan. */
function orphanDependents(
  { store, registry }: { readonly store: ObjectStore; readonly registry: Registry },
  { metadata: { uid, namespace = "" } }: KubernetesObject,
): void {
  for (const resource of registry.all()) {
    for (const dependent of store.list(resource, namespace)) {
      const { ownerReferences = [] } = dependent.metadata;
      const others = ownerReferences.filter((owner) => owner.uid !== uid);
      if (others.length === ownerReferences.length) continue;
      store.put(resource, { ...dependent, metadata: { ...dependent.metadata, ownerReferences: others } });
    }
  }
}

function decode(resource: ResourceKind, body: unknown): KubernetesObject {
  if (!isJsonObject(body)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind; json parse error: ` +
        `expected an object (${Buffer.from(JSON.stringify(body ?? ""))
          .toString("hex")
          .slice(0, 60)})`,
    );
  }
  const { apiVersion, kind } = jsonObjectOf(body);
  const expected = groupVersion(resource);
  if ((apiVersion ?? expected) !== expected || (kind ?? resource.kind) !== resource.kind) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}, Kind=${String(kind)}) does not match the expected API version ` +
        `(${expected}, Kind=${resource.kind})`,
    );
  }
  const metadata = jsonObjectOf(body["metadata"]);
  return {
    ...body,
    apiVersion: expected,
    kind: resource.kind,
    metadata: { ...metadata, name: textAt(body, "metadata.name") ?? "" } as KubernetesObject["metadata"],
  };
}

function withName(object: KubernetesObject, random: Random): KubernetesObject {
  const prefix = textAt(object, "metadata.generateName");
  if (object.metadata.name !== "" || prefix === undefined) return object;
  return { ...object, metadata: { ...object.metadata, name: prefix + random.suffix(5) } };
}

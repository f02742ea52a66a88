import type { Condition, ObjectMeta } from "./meta";

/** autoscaling/v1 Scale: the subresource by which any scalable kind is read and written. */
export interface Scale {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly spec: { readonly replicas?: number };
  /** `selector` is a selector in string form (`app=web,tier in (a,b)`); empty when the kind offers none. */
  readonly status: { readonly replicas: number; readonly selector?: string };
}

export interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> };
}

/** core/v1 Pod, cut to what a decision reads. */
export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly resources?: { readonly requests?: Readonly<Record<string, string | number>> };
    readonly overhead?: Readonly<Record<string, string | number>>;
  };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly conditions?: readonly Condition[];
  };
}

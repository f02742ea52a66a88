import { MAX_INT64, approximateFloat, parseQuantity } from "../k8s/quantity";
import type { Behavior, Quantity } from "../k8s/hpa";
import type { Options } from "../model/situation";

export const MAX_INT32 = 2_147_483_647;
export const MIN_INT32 = -2_147_483_648;

export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

/** Upstream: tolerancesForHpa, horizontal.go. */
export function tolerancesOf(behavior: Behavior | undefined, { tolerance }: Options): Tolerances {
  return {
    down: asFloat(behavior?.scaleDown?.tolerance) ?? tolerance,
    up: asFloat(behavior?.scaleUp?.tolerance) ?? tolerance,
  };
}

function asFloat(quantity: Quantity | undefined): number | undefined {
  return quantity === undefined ? undefined : approximateFloat(parseQuantity(quantity));
}

/** 1.1 is within 0.1. NaN (0 against 0) is not. */
export function isTolerated(ratio: number, { down, up }: Tolerances): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

/**
 * NaN is 0. Go depends on the processor: amd64 turns too large floats into -2147483648, which scales down; arm64
 * saturates, and so does this.
 */
export function ceilToInt32(value: number): number {
  return saturateInt32(Math.ceil(value));
}

export function truncToInt32(value: number): number {
  return saturateInt32(Math.trunc(value));
}

function saturateInt32(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.min(MAX_INT32, Math.max(MIN_INT32, value)) + 0;
}

/** Saturates; NaN is 0. */
export function ceilToInt64(value: number): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value >= 2 ** 63) return MAX_INT64;
  return value < -(2 ** 63) ? -(1n << 63n) : BigInt(Math.ceil(value));
}

export function wrapInt64(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

/** A resource may be called `constructor`. */
export function ownQuantity(map: Readonly<Record<string, Quantity>> | undefined, name: string): Quantity | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

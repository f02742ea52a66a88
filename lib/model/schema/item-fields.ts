import { type Static, type TSchema, Type } from "typebox";
import type { Frozen } from "../../k8s/schema/fields";

/** Unknown members are allowed: a newer version may have written them. */
export const text = Type.String();
export const filled = Type.String({ pattern: "\\S", errorMessage: "text that is not empty" });
export const flag = Type.Boolean();
/** True or absent. */
export const onlyTrue = Type.Unsafe<true>(Type.Boolean());
export const whole = Type.Integer();
export const count = Type.Integer({ minimum: 0, errorMessage: "a whole number, 0 or more" });
/** Epoch ms. */
export const moment = whole;

export const orNull = <S extends TSchema & { readonly type: string }>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, "null"] });

export const mapOf = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Record<string, Static<S>>>({ type: "object", additionalProperties: schema });

type Same<One, Other> =
  (<T>() => T extends Frozen<One> ? 1 : 2) extends <T>() => T extends Frozen<Other> ? 1 : 2 ? true : false;

/** Does not compile unless schema and interface have the same members and types. */
export const describes =
  <T>() =>
  <S extends TSchema>(
    schema: S & (Same<T, Static<S>> extends true ? unknown : { readonly expected: T; readonly got: Static<S> }),
  ) =>
    schema as S;

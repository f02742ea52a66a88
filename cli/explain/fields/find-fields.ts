import type { Field } from "../../../lib/api/field-help/field";

export interface FoundField {
  readonly field: Field;
  /** "type: eks", for a field that is only there then. */
  readonly when?: string;
}

/** The members of this name: one, or one in each variant that has it. */
function membersNamed({ members, variants }: Field, name: string): readonly FoundField[] {
  const own = members.filter((one) => one.name === name).map((field) => ({ field }));
  const varying = variants.flatMap(({ when, members }) =>
    members.filter((one) => one.name === name).map((field) => ({ field, when })),
  );
  return [...own, ...varying];
}

/** All fields that a path of names leads to; none where there is none. */
export function findFields(document: Field, names: readonly string[]): readonly FoundField[] {
  return names.reduce<readonly FoundField[]>(
    (found, name) =>
      found.flatMap(({ field, when }) =>
        membersNamed(field, name).map((member) => (when === undefined ? member : { when, ...member })),
      ),
    [{ field: document }],
  );
}

/** The names that a path may go on with. */
export function memberNames(found: readonly FoundField[]): readonly string[] {
  const names = found.flatMap(({ field: { members, variants } }) =>
    [...members, ...variants.flatMap((variant) => variant.members)].map(({ name }) => name),
  );
  return [...new Set(names)];
}

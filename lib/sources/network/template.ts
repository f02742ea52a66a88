import { badParameter } from "../parameters";

/** @throws Fault "badEntry" if the value fits no such position. */
export type Encode = (value: string, position: { readonly before: string; readonly name: string }) => string;

/** `$${` is the text `${`. */
const placeholder = /\$\$\{|\$\{([^{}]*)\}/g;

/**
 * `encode` keeps each value one value of the template's language.
 * @throws Fault "badEntry" for a placeholder without value, and for a value without placeholder.
 */
export function fillIn(
  template: string,
  {
    parameter,
    values,
    encode,
  }: { readonly parameter: string; readonly values: Readonly<Record<string, string>>; readonly encode: Encode },
): string {
  const used = new Set<string>();
  const filled = template.replace(placeholder, (_whole, name: string | undefined, at: number) => {
    if (name === undefined) return "${";
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined)
      throw badParameter(
        parameter,
        `a value for \${${name}}: set the label var.${name}, or write $\${${name}} for the text itself`,
        undefined,
      );
    used.add(name);
    return encode(value, { before: template.slice(0, at), name });
  });
  const unused = Object.keys(values).find((name) => !used.has(name));
  if (unused !== undefined)
    throw badParameter(`var.${unused}`, `a placeholder \${${unused}} in ${parameter}`, undefined);
  return filled;
}

/** Encodes nothing: each parameter is a value itself. */
export function fillInAll<Name extends string>(
  templates: Readonly<Partial<Record<Name, string>>>,
  values: Readonly<Record<string, string>>,
): Partial<Record<Name, string>> {
  const entries = Object.entries(templates) as [Name, string][];
  const isIn = (name: string) => (template: string) =>
    [...template.matchAll(placeholder)].some(([, found]) => found === name);
  const unused = Object.keys(values).find((name) => !entries.some(([, template]) => isIn(name)(template)));
  if (unused !== undefined) {
    const parameters = entries.map(([parameter]) => parameter).join(" or ");
    throw badParameter(`var.${unused}`, `a placeholder \${${unused}} in ${parameters}`, undefined);
  }
  const filled = entries.map(([parameter, template]) => {
    const own = Object.entries(values).filter(([name]) => isIn(name)(template));
    const encode = (value: string) => value;
    return [parameter, fillIn(template, { parameter, values: Object.fromEntries(own), encode })] as const;
  });
  return Object.fromEntries(filled) as Partial<Record<Name, string>>;
}

/** The template of a text without placeholders. */
export function templateOf(text: string): string {
  return text.replaceAll("${", () => "$${");
}

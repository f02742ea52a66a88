import type { Statement } from "./iam";

interface Template {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly Properties: {
          readonly Policies?: readonly Policy[];
          /** Of a policy by itself, which belongs to a role. */
          readonly RoleName?: { readonly Ref: string };
          readonly PolicyDocument?: Policy["PolicyDocument"];
        };
      }
    >
  >;
}

interface Policy {
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}

/**
 * The statements of each role of a packaged CloudFormation template, by the role's logical id. `values` are what
 * references stand for: "Table.Arn", "AWS::Region".
 */
export function rolesOf(
  template: unknown,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly Statement[]>> {
  const resources = Object.entries((template as Template).Resources);
  const roles = resources.filter(([, { Type }]) => Type === "AWS::IAM::Role");
  const own = resources
    .filter(([, { Type }]) => Type === "AWS::IAM::RolePolicy")
    .map(([, { Properties }]) => Properties);
  return Object.fromEntries(
    roles.map(([id, { Properties }]) => {
      const added = own.filter(({ RoleName }) => RoleName?.Ref === id);
      const policies = resolved(
        [...(Properties.Policies ?? []), ...added].map(({ PolicyDocument }) => ({ PolicyDocument })),
        values,
      ) as readonly Policy[];
      return [id, policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)];
    }),
  );
}

function resolved(value: unknown, values: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolved(item, values));
  if (typeof value !== "object" || value === null) return value;
  const { Ref, "Fn::GetAtt": attribute, "Fn::Sub": text } = value as Readonly<Record<string, unknown>>;
  const valueOf = (name: string): string => {
    const found = values[name];
    if (found === undefined) throw new Error(`the template refers to ${name}, whose value is not given`);
    return found;
  };
  if (typeof Ref === "string") return valueOf(Ref);
  if (typeof attribute === "string") return valueOf(attribute);
  if (Array.isArray(attribute)) return valueOf(attribute.join("."));
  if (typeof text === "string") return text.replace(/\$\{([^}]+)\}/g, (_, name: string) => valueOf(name));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member, values)]));
}

import type { Statement } from "./iam";

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: object }>>;
}

interface Policy {
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}

/**
 * The statements of each role of a packaged CloudFormation template, by the role's logical id: its own, and those that
 * another resource of the template attaches to it. `values` are what references stand for: "Table.Arn", "AWS::Region".
 */
export function rolesOf(
  template: unknown,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly Statement[]>> {
  const resources = Object.entries((template as Template).Resources);
  const attached = resources.flatMap(([, { Type, Properties }]) =>
    Type === "AWS::IAM::RolePolicy" ? [Properties as Policy & { readonly RoleName: { readonly Ref: string } }] : [],
  );
  const roles = resources.filter(([, { Type }]) => Type === "AWS::IAM::Role");
  return Object.fromEntries(
    roles.map(([id, { Properties }]) => {
      const { Policies = [] } = Properties as { readonly Policies?: readonly Policy[] };
      const all = [...Policies, ...attached.filter(({ RoleName }) => RoleName.Ref === id)];
      const documents = all.map(({ PolicyDocument }) => resolved(PolicyDocument, values) as Policy["PolicyDocument"]);
      return [id, documents.flatMap(({ Statement }) => Statement)];
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

import type { Statement } from "./iam";
import { rolesOf } from "./packaged-roles";
import { readYaml } from "./read-template";

type Variables = { readonly resolveVariable: (address: string) => Promise<unknown> };
type Read = (variables: Variables) => Promise<Readonly<Record<string, unknown>>>;
type Params = Readonly<Record<string, string | number | boolean>>;

/** Where the stack is. */
export const account = "111122223333";
export const region = "eu-central-1";
const arn = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`;

const values = {
  "AWS::Partition": "aws",
  "AWS::Region": region,
  "AWS::AccountId": account,
  "AWS::URLSuffix": "amazonaws.com",
  "Table.Arn": arn("dynamodb", "table/ebb-prod"),
  "Table.StreamArn": arn("dynamodb", "table/ebb-prod/stream/1"),
  "SlotQueue.Arn": arn("sqs", "ebb-prod-slots"),
  "TickLambdaFunction.Arn": arn("lambda", "function:ebb-prod-tick"),
  "WatchLambdaFunction.Arn": arn("lambda", "function:ebb-prod-watch"),
  "NotifyLambdaFunction.Arn": arn("lambda", "function:ebb-prod-notify"),
  "MetricsLambdaFunction.Arn": arn("lambda", "function:ebb-prod-metrics"),
};

/** The statements of the stack's roles, from the files of infra: as packaged, without packaging. */
export async function stackRoles(given: Params = {}): Promise<Readonly<Record<string, readonly Statement[]>>> {
  const { params } = readYaml<{ readonly params: { readonly default: Params } }>("serverless.yml");
  const resolveVariable = (address: string) =>
    Promise.resolve({ ...params.default, ...given }[address.replace("param:", "")]);
  const read = (file: string) => jest.requireActual<Read>(`../../infra/${file}`)({ resolveVariable });
  const fromParams = await read("params.cjs");
  const ofFunction = async (file: string) =>
    ((await read(file)) as { readonly resources: Readonly<Record<string, unknown>> }).resources;
  const resources = [
    ...[readYaml("infra/roles.yml"), await read("keys.cjs"), await read("network.cjs")],
    ...[await ofFunction("notify.cjs"), await ofFunction("metrics.cjs")],
  ];
  const Resources = Object.assign(
    {},
    ...resources.map(({ Resources: some }) => filledIn(some ?? {}, fromParams)),
  ) as object;
  return rolesOf({ Resources }, values);
}

/** The framework's variables, as it fills them in. */
function filledIn(value: unknown, params: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((item) => filledIn(item, params));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filledIn(member, params)]));
  if (typeof value !== "string") return value;
  const [, name] = /^\$\{file\(infra\/params\.cjs\):(\w+)\}$/.exec(value) ?? [];
  if (name !== undefined) return params[name];
  return value.replaceAll("${self:service}", "ebb").replaceAll("${sls:stage}", "prod");
}

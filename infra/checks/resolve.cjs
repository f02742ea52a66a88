// What CloudFormation will make of a value, for its length: as long as what AWS gives, and not equal to it.
const account = "000000000000";
const unknown = "x".repeat(100);

const partitionOf = (region) =>
  region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";

const arnOf = (service, rest, { region, partition }) => `arn:${partition}:${service}:${region}:${account}:${rest}`;

/** Of a resource: what Ref stands for, and its attributes. */
const types = {
  "AWS::DynamoDB::Table": ({ TableName: name }, at) => ({
    Ref: name,
    Arn: arnOf("dynamodb", `table/${name}`, at),
    StreamArn: arnOf("dynamodb", `table/${name}/stream/2026-01-01T00:00:00.000`, at),
  }),
  "AWS::SQS::Queue": ({ QueueName: name }, at) => ({
    Ref: `https://sqs.${at.region}.amazonaws.com/${account}/${name}`,
    QueueName: name,
    Arn: arnOf("sqs", name, at),
  }),
  "AWS::Lambda::Function": ({ FunctionName: name }, at) => ({
    Ref: name,
    Arn: arnOf("lambda", `function:${name}`, at),
  }),
};

/**
 * @param {Readonly<Record<string, { Type: string, Properties?: any }>>} resources of the template
 * @param {string} region
 * @returns {(value: any) => any} the value without intrinsic functions
 */
module.exports = function resolverOf(resources, region) {
  const at = { region, partition: partitionOf(region) };
  const pseudo = { "AWS::Partition": at.partition, "AWS::Region": region, "AWS::AccountId": account };

  function valueOf(name) {
    if (name in pseudo) return pseudo[name];
    const [id, attribute = "Ref"] = name.split(".");
    const { Type, Properties = {} } = resources[id] ?? {};
    return types[Type]?.(Properties, at)[attribute] ?? unknown;
  }

  const filledIn = (text, own = {}) =>
    text.replace(/\$\{(!?)([^}]+)\}/g, (_, literal, name) => (literal ? `\${${name}}` : (own[name] ?? valueOf(name))));

  return function resolve(value) {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const [[name, given] = [], ...others] = Object.entries(value);
    if (others.length === 0 && name === "Ref") return valueOf(given);
    if (others.length === 0 && name === "Fn::GetAtt") return valueOf([given].flat().join("."));
    if (others.length === 0 && name === "Fn::Sub") {
      const [text, own] = [given].flat();
      return filledIn(text, resolve(own ?? {}));
    }
    if (others.length === 0 && name === "Fn::Join") return resolve(given[1]).join(given[0]);
    if (others.length === 0 && name?.startsWith("Fn::")) return unknown;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member)]));
  };
};

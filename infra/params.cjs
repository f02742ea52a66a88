// What serverless.yml's params come to where YAML cannot say it: lists are written with commas.

/** @param {string} text */
const list = (text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/**
 * Serverless variables read one property each: ${file(infra/params.cjs):alarmActions}.
 *
 * @param {{ resolveVariable: (address: string) => Promise<unknown> }} variables
 */
module.exports = async ({ resolveVariable }) => {
  const param = async (name) => list(String(await resolveVariable(`param:${name}`)));
  /** ARNs may hold ${AWS::Region} and its like. A statement cannot be about nothing. */
  const arns = async (name) => {
    const items = await param(name);
    if (items.length === 0)
      throw new Error(`param ${name}: expected one ARN or more, separated by commas, got nothing`);
    return items.map((arn) => ({ "Fn::Sub": arn }));
  };
  return {
    alarmActions: await param("alarmTopicArn"),
    subnetIds: await param("subnetIds"),
    securityGroupIds: await param("securityGroupIds"),
    queueArns: await arns("queueArns"),
    secretArns: await arns("secretArns"),
    parameterArns: await arns("parameterArns"),
    roleArns: await arns("roleArns"),
  };
};

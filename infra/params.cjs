// Values that serverless.yml cannot compute from its params, such as lists: the params separate items by commas.

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
  /** ARNs may contain pseudo parameters such as ${AWS::Region}. An IAM statement needs at least one resource. */
  const arns = async (name) => {
    const items = await param(name);
    if (items.length === 0)
      throw new Error(`param ${name}: expected one ARN or more, separated by commas, got nothing`);
    return items.map((arn) => ({ "Fn::Sub": arn }));
  };
  /** A statement may name no key at all, but not by an alias: IAM matches the key's own ARN alone. */
  const keys = async (name) => {
    const items = await param(name);
    const odd = items.find((arn) => !/^arn:.+:kms:.*:key\/./.test(arn));
    if (odd !== undefined)
      throw new Error(`param ${name}: expected ARNs of KMS keys (arn:aws:kms:…:key/…), got ${odd}`);
    return items.map((arn) => ({ "Fn::Sub": arn }));
  };
  return {
    /** Without a budget, there is no watcher. */
    watchState: Number(await resolveVariable("param:watchBudget")) > 0 ? "ENABLED" : "DISABLED",
    alarmActions: await param("alarmTopicArn"),
    syncConcurrency: await resolveVariable("param:syncConcurrency"),
    syncPollers: await param("syncPollers"),
    tickReservedConcurrency: await resolveVariable("param:tickReservedConcurrency"),
    subnetIds: await param("subnetIds"),
    securityGroupIds: await param("securityGroupIds"),
    queueArns: await arns("queueArns"),
    secretArns: await arns("secretArns"),
    parameterArns: await arns("parameterArns"),
    roleArns: await arns("roleArns"),
    eksClusterArns: await arns("eksClusterArns"),
    workspaceArns: await arns("workspaceArns"),
    kmsKeyArns: await keys("kmsKeyArns"),
  };
};

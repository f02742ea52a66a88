// Values that serverless.yml cannot compute from its params, such as lists: the params separate items by commas.

/** @param {string} text */
const list = (text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

const text = (value) => String(value).trim();

const withPseudoParameters = (arn) => (arn.includes("${") ? { "Fn::Sub": arn } : arn);

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
    return items.map(withPseudoParameters);
  };
  /** Undefined: the param is empty. */
  const arnOf = async (name, form, example) => {
    const [arn, ...more] = await param(name);
    if (arn === undefined) return undefined;
    if (more.length > 0 || !form.test(arn))
      throw new Error(`param ${name}: expected one ARN such as ${example}, got ${[arn, ...more].join()}`);
    return withPseudoParameters(arn);
  };
  const keyOf = (name) =>
    arnOf(
      name,
      /^arn:[^:]+:kms:[^:]+:[^:]+:key\/./,
      "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
    );
  /** A statement may name no key at all, but not by an alias: IAM matches the key's own ARN alone. */
  const keys = async (name) => {
    const items = await param(name);
    const odd = items.find((arn) => !/^arn:.+:kms:.*:key\/./.test(arn));
    if (odd !== undefined)
      throw new Error(`param ${name}: expected ARNs of KMS keys (arn:aws:kms:…:key/…), got ${odd}`);
    return items.map(withPseudoParameters);
  };
  return {
    /** Without a budget, there is no poller. */
    watchState: Number(await resolveVariable("param:watchBudget")) > 0 ? "ENABLED" : "DISABLED",
    alarmActions: await param("alarmTopicArn"),
    dashboard: text(await resolveVariable("param:dashboard")),
    syncConcurrency: await resolveVariable("param:syncConcurrency"),
    syncPollers: await param("syncPollers"),
    tickReservedConcurrency: await resolveVariable("param:tickReservedConcurrency"),
    notifyArn: await arnOf(
      "notifyArn",
      /^arn:[^:]+:(sns:[^:]+:[^:]+:[\w-]+(\.fifo)?|events:[^:]+:[^:]+:event-bus\/[\w./-]+)$/,
      "arn:aws:sns:eu-central-1:111122223333:ebb, or of an EventBridge bus",
    ),
    notifyKmsKeyArn: await keyOf("notifyKmsKeyArn"),
    notifyMinutes: text(await resolveVariable("param:notifyMinutes")),
    notifyFailingMinutes: text(await resolveVariable("param:notifyFailingMinutes")),
    notifyHourlyCap: text(await resolveVariable("param:notifyHourlyCap")),
    notifyTypes: await param("notifyTypes"),
    notifyClusters: await param("notifyClusters"),
    notifyNamespaces: await param("notifyNamespaces"),
    notifyLabels: text(await resolveVariable("param:notifyLabels")),
    // IAM matches the whole ARN of a secret, with the six characters that Secrets Manager adds to its name.
    metricsTokenArn: await arnOf(
      "metricsTokenArn",
      /^arn:[^:]+:(secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}|ssm:[\w-]+:\d{12}:parameter\/[\w/.-]+)$/,
      "arn:aws:ssm:eu-central-1:111122223333:parameter/ebb-metrics/token, or of a secret with its last six characters",
    ),
    metricsReservedConcurrency: text(await resolveVariable("param:metricsReservedConcurrency")),
    subnetIds: await param("subnetIds"),
    securityGroupIds: await param("securityGroupIds"),
    queueArns: await arns("queueArns"),
    secretArns: await arns("secretArns"),
    parameterArns: await arns("parameterArns"),
    roleArns: await arns("roleArns"),
    eksClusterArns: await arns("eksClusterArns"),
    workspaceArns: await arns("workspaceArns"),
    kmsKeyArns: await keys("kmsKeyArns"),
    // CloudWatch Logs takes no alias.
    kmsKeyArn: await keyOf("kmsKeyArn"),
    permissionsBoundary: await arnOf(
      "permissionsBoundary",
      /^arn:[^:]+:iam::[^:]+:policy\/./,
      "arn:aws:iam::111122223333:policy/boundary",
    ),
  };
};

// The function metrics, its URL and its role: with the param metricsTokenArn alone (docs/history.md).
const error = require("./param-error.cjs");
const readParams = require("./params.cjs");

/** IAM's wildcards; a pseudo parameter may be anything. */
function isLike(arn, pattern) {
  const text = (pattern["Fn::Sub"] ?? pattern).replace(/\$\{[^}]*\}/g, "*");
  const source = text
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`).test(arn);
}

/** sync and watch read what these params name, and would read the token for whoever writes an entry. */
function checkToken({ metricsTokenArn: arn, secretArns, parameterArns }) {
  for (const [name, patterns] of Object.entries({ secretArns, parameterArns }))
    if (patterns.some((pattern) => isLike(arn, pattern)))
      throw error("metricsTokenArn", `a secret that ${name} does not name, because sync may read those`, arn);
}

function reservedOf({ metricsReservedConcurrency: reserved }) {
  if (!/^\d{1,4}$/.test(reserved)) throw error("metricsReservedConcurrency", "a whole number, or 0 for none", reserved);
  // Lambda never starts a function with a reservation of 0.
  return reserved === "0" ? {} : { reservedConcurrency: Number(reserved) };
}

const functionOf = (params) => ({
  description: "Serves metrics for Prometheus",
  handler: "dist/functions/metrics.handler",
  role: { "Fn::Sub": "${MetricsRole.Arn}" },
  memorySize: "${param:metricsMemory}",
  timeout: "${param:metricsTimeout}",
  ...reservedOf(params),
  // Anyone may call it. It answers those with the token.
  url: { invokeMode: "RESPONSE_STREAM" },
  environment: { METRICS_TOKEN: params.metricsTokenArn },
  package: {
    patterns: ["metrics", "sdk-resolution", "secrets-manager-client", "ssm-client"].map(
      (name) => `dist/functions/${name}.js`,
    ),
  },
});

/** Of one partition, or of those that begin so. */
const onlyKeys = (operator, key) => ({
  [`ForAllValues:${operator}`]: { "dynamodb:LeadingKeys": [key] },
  Null: { "dynamodb:LeadingKeys": "false" },
});

const table = { "Fn::GetAtt": "Table.Arn" };

const roleOf = (arn) => ({
  Type: "AWS::IAM::Role",
  Properties: {
    AssumeRolePolicyDocument: {
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" }, Action: "sts:AssumeRole" }],
    },
    Policies: [
      {
        PolicyName: "metrics",
        PolicyDocument: {
          Version: "2012-10-17",
          Statement: [
            {
              Sid: "WriteLogs",
              Effect: "Allow",
              Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
              Resource: {
                "Fn::Sub":
                  "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:/aws/lambda/${self:service}-${sls:stage}-metrics:*",
              },
            },
            {
              Sid: "FindShards",
              Effect: "Allow",
              Action: "dynamodb:Query",
              Resource: table,
              Condition: onlyKeys("StringEquals", "SHARD"),
            },
            {
              Sid: "ReadLastMinutes",
              Effect: "Allow",
              Action: ["dynamodb:GetItem", "dynamodb:BatchGetItem"],
              Resource: table,
              Condition: onlyKeys("StringLike", "HISTORY#*"),
            },
            {
              Sid: "ReadToken",
              Effect: "Allow",
              Action: arn.split(":")[2] === "ssm" ? "ssm:GetParameter" : "secretsmanager:GetSecretValue",
              Resource: arn,
            },
          ],
        },
      },
    ],
  },
});

module.exports = async (variables) => {
  const params = await readParams(variables);
  const { metricsTokenArn } = params;
  if (metricsTokenArn === undefined) return { function: null, resources: {} };
  checkToken(params);
  return {
    function: functionOf(params),
    resources: { Resources: { MetricsRole: roleOf(metricsTokenArn) } },
  };
};

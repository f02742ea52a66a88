// Secrets and parameters under customer managed keys: sync, watch and metrics may decrypt with the keys that the param
// names, and only through the services that hold them. Without a key, nothing is granted.
const readParams = require("./params.cjs");

module.exports = async (variables) => {
  const { kmsKeyArns, metricsTokenArn } = await readParams(variables);
  if (kmsKeyArns.length === 0) return {};
  const decryptSecrets = {
    Sid: "DecryptSecrets",
    Effect: "Allow",
    Action: "kms:Decrypt",
    Resource: kmsKeyArns,
    Condition: {
      StringLike: {
        "kms:ViaService": ["secretsmanager", "ssm"].map((service) => ({
          "Fn::Sub": `${service}.*.\${AWS::URLSuffix}`,
        })),
      },
    },
  };
  const policyOf = (RoleName) => ({
    Type: "AWS::IAM::RolePolicy",
    Properties: {
      RoleName: { Ref: RoleName },
      PolicyName: "keys",
      PolicyDocument: { Version: "2012-10-17", Statement: [decryptSecrets] },
    },
  });
  return {
    Resources: {
      SyncKeysPolicy: policyOf("SyncRole"),
      WatchKeysPolicy: policyOf("WatchRole"),
      ...(metricsTokenArn !== undefined && { MetricsKeysPolicy: policyOf("MetricsRole") }),
    },
  };
};

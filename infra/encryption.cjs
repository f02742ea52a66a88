// With the param kmsKeyArn, a key of your own encrypts the table, the logs and the functions' environment.
// docs/deploy.md has the policy that the key needs.
const readParams = require("./params.cjs");

const read = ["kms:Decrypt", "kms:DescribeKey"];
const write = [...read, "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo"];

/** What each function does with the table. DynamoDB uses the key with the rights of whoever calls it. */
const functions = { Tick: write, Wake: read, Sync: write, Watch: write };

module.exports = async (variables) => {
  const { kmsKeyArn, notifyArn, metricsTokenArn } = await readParams(variables);
  if (kmsKeyArn === undefined) return {};
  const used = {
    ...functions,
    ...(notifyArn !== undefined && { Notify: write }),
    ...(metricsTokenArn !== undefined && { Metrics: read }),
  };
  const policyOf = (name, actions) => ({
    Type: "AWS::IAM::RolePolicy",
    Properties: {
      RoleName: { Ref: `${name}Role` },
      PolicyName: "key",
      PolicyDocument: {
        Version: "2012-10-17",
        Statement: [
          {
            Sid: "UseKey",
            Effect: "Allow",
            Action: actions,
            Resource: kmsKeyArn,
            Condition: {
              StringEquals: {
                "kms:ViaService": ["dynamodb", "lambda"].map((service) => ({
                  "Fn::Sub": `${service}.\${AWS::Region}.\${AWS::URLSuffix}`,
                })),
              },
            },
          },
        ],
      },
    },
  });
  const all = (entryOf) => Object.assign({}, ...Object.keys(used).map(entryOf));
  return {
    Resources: all((name) => ({ [`${name}KeyPolicy`]: policyOf(name, used[name]) })),
    extensions: {
      Table: {
        Properties: { SSESpecification: { SSEEnabled: true, SSEType: "KMS", KMSMasterKeyId: kmsKeyArn } },
      },
      ...all((name) => ({
        [`${name}LambdaFunction`]: { Properties: { KmsKeyArn: kmsKeyArn } },
        [`${name}LogGroup`]: { Properties: { KmsKeyId: kmsKeyArn } },
      })),
      // Lambda reads the stream when it creates the mapping.
      WakeEventSourceMappingDynamodbTable: { DependsOn: ["WakeKeyPolicy"] },
      ...(notifyArn !== undefined && { NotifyEventSourceMappingDynamodbTable: { DependsOn: ["NotifyKeyPolicy"] } }),
    },
  };
};

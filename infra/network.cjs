// sync and watch run in a VPC if the params name subnets, so that they reach private endpoints. tick and wake call only
// AWS APIs and stay outside.
const readParams = require("./params.cjs");

/** Lambda does this with the function's role. The interfaces do not exist yet, so no ARN can name them. */
const attachToSubnets = {
  Sid: "AttachToSubnets",
  Effect: "Allow",
  Action: [
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
  ],
  Resource: "*",
};

module.exports = async (variables) => {
  const { subnetIds, securityGroupIds } = await readParams(variables);
  if ((subnetIds.length === 0) !== (securityGroupIds.length === 0)) {
    throw new Error("params subnetIds and securityGroupIds: expected both or neither, got one of them");
  }
  if (subnetIds.length === 0) return {};
  const vpc = { VpcConfig: { SubnetIds: subnetIds, SecurityGroupIds: securityGroupIds } };
  const policyOf = (RoleName) => ({
    Type: "AWS::IAM::RolePolicy",
    Properties: {
      RoleName: { Ref: RoleName },
      PolicyName: "network",
      PolicyDocument: { Version: "2012-10-17", Statement: [attachToSubnets] },
    },
  });
  return {
    Resources: { SyncNetworkPolicy: policyOf("SyncRole"), WatchNetworkPolicy: policyOf("WatchRole") },
    extensions: {
      SyncLambdaFunction: { Properties: vpc, DependsOn: ["SyncNetworkPolicy"] },
      WatchLambdaFunction: { Properties: vpc, DependsOn: ["WatchNetworkPolicy"] },
    },
  };
};

// sync lives in a VPC where params name subnets, to reach private cluster endpoints. tick speaks to AWS APIs only and
// stays outside.
const readParams = require("./params.cjs");

/** Lambda does this with the function's role; a network interface cannot be named before it exists. */
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
  return {
    Resources: {
      SyncNetworkPolicy: {
        Type: "AWS::IAM::RolePolicy",
        Properties: {
          RoleName: { Ref: "SyncRole" },
          PolicyName: "network",
          PolicyDocument: { Version: "2012-10-17", Statement: [attachToSubnets] },
        },
      },
    },
    extensions: {
      SyncLambdaFunction: {
        Properties: { VpcConfig: { SubnetIds: subnetIds, SecurityGroupIds: securityGroupIds } },
        DependsOn: ["SyncNetworkPolicy"],
      },
    },
  };
};

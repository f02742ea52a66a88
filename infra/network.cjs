// sync runs in a VPC if the params name subnets, so that it reaches private cluster endpoints. tick calls only AWS APIs
// and stays outside.
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

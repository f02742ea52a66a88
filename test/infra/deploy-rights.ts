import { exampleText } from "../examples/examples";
import { allowing, type Call, type Statement } from "./iam";

/** examples/deploy-policy.json: what the role that deploys may do, for the stage prod in eu-central-1. */
export interface DeployStatement extends Omit<Statement, "Condition"> {
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export const deployPolicy = JSON.parse(exampleText("deploy-policy.json")) as {
  readonly Statement: readonly DeployStatement[];
};

/** The rights that the framework needs for its own calls, beside those of the resources: test/e2e/deploy-rights. */
export const frameworkActions = [
  ...["CreateChangeSet", "DeleteChangeSet", "DeleteStack", "DescribeChangeSet", "DescribeStackEvents"],
  ...["DescribeStackResource", "DescribeStacks", "ExecuteChangeSet", "ListStackResources", "ValidateTemplate"],
]
  .map((name) => `cloudformation:${name}`)
  .concat("ecr:DescribeRepositories")
  .concat("lambda:GetAccountSettings", "lambda:GetFunction", "lambda:GetFunctionConcurrency")
  .concat("s3:DeleteObject", "s3:GetObject", "s3:ListBucket", "s3:PutObject");

/** Whether the policy allows a call, its conditions aside: their keys are not in a template or a request. */
export function mayDeploy(call: Call): boolean {
  const statements = deployPolicy.Statement.map(({ Condition: _, ...statement }) => statement);
  return allowing(statements, call).length > 0;
}

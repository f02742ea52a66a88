/** Loaded late, and in a bundle from a file of its own (scripts/build.mjs): the client is 170 KB, and few secrets stand in SSM. */
export { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";

/**
 * Loaded on first use, from its own bundle file (scripts/build.mjs): the client is 170 KB, and few secrets are in SSM.
 */
export { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";

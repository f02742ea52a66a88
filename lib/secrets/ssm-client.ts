/**
 * Loaded on first use, from a bundle file of its own (scripts/build.mjs): the client is 170 KB, and few secrets are in
 * SSM.
 */
export { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";

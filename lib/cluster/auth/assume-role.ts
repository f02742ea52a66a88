import { fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import { answerBytes, boundedAnswers, ownConnections } from "../../aws/sdk/bounded-answers";
import type { AwsCredentialProvider } from "../../aws/credentials";
import type { AssumedRole } from "./assumed-role";

/** The SDK waits for ever. */
const limits = { connectionTimeout: 3_000, requestTimeout: 3_000, throwOnRequestTimeout: true };

/** A module of its own: it is large, and few entries name a role. */
export function assumeRole({ roleArn, region, externalId }: AssumedRole, base: AwsCredentialProvider) {
  return fromTemporaryCredentials({
    masterCredentials: base,
    params: { RoleArn: roleArn, RoleSessionName: "ebb", ExternalId: externalId },
    clientConfig: { region, requestHandler: { ...limits, ...ownConnections(50) } },
    clientPlugins: [boundedAnswers(answerBytes.sts)],
  });
}

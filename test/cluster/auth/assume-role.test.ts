/** @jest-environment node */
import type { fromTemporaryCredentials } from "@aws-sdk/credential-providers";
import { assumeRole } from "../../../lib/cluster/auth/assume-role";

type Options = Parameters<typeof fromTemporaryCredentials>[0];

let given: Options | undefined;
jest.mock("@aws-sdk/credential-providers", () => ({
  fromTemporaryCredentials: (options: Options) => void (given = options),
}));

/** The SDK's own default is to wait for ever. Three attempts of 3 s end before the API client's 10 s. */
test("STS has limits for the connection and the answer", () => {
  const role = { roleArn: "arn:aws:iam::123456789012:role/ebb", region: "eu-west-1", externalId: "ebb/prod" };
  assumeRole(role, () => Promise.reject(new Error("not called")));
  expect(given?.clientConfig?.requestHandler).toMatchObject({
    ...{ connectionTimeout: 3_000, requestTimeout: 3_000, throwOnRequestTimeout: true },
  });
});

import { refusalOf } from "../network/presigned";
import { mskToken, regionOfBroker } from "../../../lib/sources/kafka/aws-iam";

const host = "b-1.shop.a1b2c3.c4.kafka.eu-west-1.amazonaws.com";
const credentials = () =>
  Promise.resolve({ accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalr", sessionToken: "t/+=" });

test("a token of the function's role is a presigned request to connect, in the region of the broker", async () => {
  const token = await mskToken(host, credentials, new Date("2026-03-01T10:00:00Z"));
  expect(token).toMatch(/^[\w-]+$/);
  const url = new URL(Buffer.from(token, "base64url").toString());
  expect(url.origin).toBe("https://kafka.eu-west-1.amazonaws.com");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    Action: "kafka-cluster:Connect",
    "User-Agent": "ebb",
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": "AKIDEXAMPLE/20260301/eu-west-1/kafka-cluster/aws4_request",
    "X-Amz-Date": "20260301T100000Z",
    "X-Amz-Expires": "900",
    "X-Amz-Security-Token": "t/+=",
    "X-Amz-Signature": expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    "X-Amz-SignedHeaders": "host",
  });
});

describe("Amazon MSK, which computes the signature itself,", () => {
  const signedAt = new Date("2026-03-01T10:00:00Z");
  const verifier = {
    service: "kafka-cluster",
    region: "eu-west-1",
    host: "kafka.eu-west-1.amazonaws.com",
    keys: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalr", sessionToken: "t/+=" },
    now: signedAt.getTime() + 899_000,
    unsigned: ["User-Agent"],
  };
  const url = async () => Buffer.from(await mskToken(host, credentials, signedAt), "base64url").toString();

  test("takes the token for its 15 minutes", async () => {
    expect(refusalOf(await url(), verifier)).toBeUndefined();
    expect(refusalOf(await url(), { ...verifier, now: verifier.now + 2000 })).toBe("signed 901 s ago");
  });

  test("refuses it for another action, region or key", async () => {
    const token = await url();
    expect(refusalOf(token.replace("Connect", "DeleteGroup"), verifier)).toBe("another signature");
    expect(refusalOf(token, { ...verifier, region: "us-east-1" })).toBe("another credential or scope");
    const keys = { ...verifier.keys, secretAccessKey: "other" };
    expect(refusalOf(token, { ...verifier, keys })).toBe("another signature");
  });
});

test.each([
  [host, "eu-west-1"],
  ["boot-x.c1.kafka-serverless.us-east-1.amazonaws.com", "us-east-1"],
  ["b-1.x.kafka.us-gov-west-1.amazonaws.com", "us-gov-west-1"],
  ["b-1.x.kafka.eu-west-1.amazonaws.com.evil.example", undefined],
  ["kafka.evil.example", undefined],
  ["x.kafka.evil.amazonaws.com", undefined],
])("the region of %s is %s", (name, region) => {
  expect(regionOfBroker(name)).toBe(region);
});

test("there is no token for another host, or without credentials", async () => {
  const now = new Date();
  await expect(mskToken("kafka.evil.example", credentials, now)).rejects.toThrow("expected a broker of Amazon MSK");
  const none = () => Promise.reject(new Error("none"));
  await expect(mskToken(host, none, now)).rejects.toThrow("expected AWS credentials to sign with");
});

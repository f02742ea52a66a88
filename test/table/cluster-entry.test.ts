import { toItem } from "../../lib/table/items/attributes";
import { decodeCluster } from "../../lib/table/items/resource-items";

const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

const endpoint = "https://api.example.com:6443/k8s";
const eks = { type: "eks", clusterName: "prod", region: "eu-central-1" };
const token = { type: "token", secret: "prod/token" };
const role = "arn:aws:iam::123456789012:role/ebb";

const decode = (spec: unknown, pk = "CLUSTER#prod") => decodeCluster(toItem({ pk, sk: "CLUSTER", spec }));

describe("a CLUSTER item is usable", () => {
  test.each<[string, object]>([
    ["EKS", { endpoint, auth: eks }],
    ["EKS through a role", { endpoint, auth: { ...eks, roleArn: role } }],
    ["a token", { endpoint, auth: token }],
    ["a token in a parameter", { endpoint, auth: { type: "token", secret: "ssm:/prod/token" } }],
    ["a client certificate", { endpoint, auth: { type: "clientCertificate", secret: "prod/cert" } }],
    ["a kubeconfig, which has the endpoint", { auth: { type: "kubeconfig", secret: "prod/kubeconfig", context: "a" } }],
    ["a kubeconfig's file", { auth: { type: "kubeconfig", file: "/home/me/.kube/config" } }],
    ["a private CA", { endpoint, auth: token, certificateAuthorityData: base64(pem), tlsServerName: "kubernetes" }],
    ["a CA wrapped as base64 prints it", { endpoint, auth: token, certificateAuthorityData: `${base64(pem)}\n` }],
    ["a proxy on this machine", { endpoint: "http://127.0.0.1:8001", auth: token }],
    ["the shortest period", { endpoint, auth: token, options: { syncPeriodSeconds: 3 } }],
    [
      "every option",
      {
        endpoint,
        auth: token,
        options: {
          syncPeriodSeconds: 3600,
          tolerance: 0.05,
          downscaleStabilizationSeconds: 0,
          cpuInitializationPeriodSeconds: 300,
          initialReadinessDelaySeconds: 30,
        },
      },
    ],
  ])("with %s", (_name, spec) => {
    expect(decode(spec)).toEqual({ key: "prod", value: { name: "prod", spec } });
  });
});

describe("a CLUSTER item is not usable, and says where", () => {
  const expectedEndpoint = "https://host[:port][/path] (http only on this machine)";
  test.each<[string, unknown, string]>([
    ["no spec", undefined, "spec: expected a map, got nothing"],
    ["a spec as JSON text", '{"auth":{}}', 'spec: expected a map, got "{\\"auth\\":{}}"'],
    ["no auth", { endpoint }, "spec.auth: expected a map, got nothing"],
    [
      "an unknown auth",
      { endpoint, auth: { type: "foo" } },
      'spec.auth.type: expected one of eks, token, clientCertificate, kubeconfig, got "foo"',
    ],
    [
      "an auth named like an object's member",
      { endpoint, auth: { type: "constructor" } },
      'spec.auth.type: expected one of eks, token, clientCertificate, kubeconfig, got "constructor"',
    ],
    [
      "EKS without a region",
      { endpoint, auth: { type: "eks", clusterName: "prod" } },
      "spec.auth.region: expected text that is not empty, got nothing",
    ],
    [
      "a role that is no ARN",
      { endpoint, auth: { ...eks, roleArn: "ebb" } },
      'spec.auth.roleArn: expected the ARN of an IAM role (arn:aws:iam::<account>:role/<name>), got "ebb"',
    ],
    [
      "an empty secret",
      { endpoint, auth: { type: "token", secret: " " } },
      'spec.auth.secret: expected text that is not empty, got " "',
    ],
    [
      "a secret in the entry",
      { endpoint, auth: { type: "token", token: "ey…" } },
      "spec.auth.token: unknown field, expected one of type, secret",
    ],
    ["a kubeconfig from nowhere", { auth: { type: "kubeconfig" } }, "spec.auth: expected secret or file, got neither"],
    [
      "a kubeconfig from two places",
      { auth: { type: "kubeconfig", file: "a", secret: "b" } },
      "spec.auth: expected either secret or file, got both",
    ],
    ["no endpoint", { auth: token }, "spec.endpoint: expected https://host[:port][/path], got nothing"],
    [
      "an endpoint without a scheme",
      { endpoint: "api.example.com", auth: token },
      `spec.endpoint: expected ${expectedEndpoint}, got "api.example.com"`,
    ],
    [
      "an endpoint in the clear",
      { endpoint: "http://api.example.com", auth: token },
      `spec.endpoint: expected ${expectedEndpoint}, got "http://api.example.com"`,
    ],
    [
      "an endpoint with a password",
      { endpoint: "https://a:b@api.example.com", auth: token },
      `spec.endpoint: expected ${expectedEndpoint}, got "https://…@api.example.com"`,
    ],
    [
      "a CA that is PEM itself",
      { endpoint, auth: token, certificateAuthorityData: pem },
      `spec.certificateAuthorityData: expected base64 of a PEM certificate, as in a kubeconfig, got ${JSON.stringify(pem)}`,
    ],
    [
      "a CA that is something else in base64",
      { endpoint, auth: token, certificateAuthorityData: "aGVsbG8=" },
      'spec.certificateAuthorityData: expected base64 of a PEM certificate, as in a kubeconfig, got "aGVsbG8="',
    ],
    [
      "a period that is too short",
      { endpoint, auth: token, options: { syncPeriodSeconds: 2 } },
      "spec.options.syncPeriodSeconds: expected a whole number from 3 to 3600, got 2",
    ],
    [
      "a period with a fraction",
      { endpoint, auth: token, options: { syncPeriodSeconds: 7.5 } },
      "spec.options.syncPeriodSeconds: expected a whole number from 3 to 3600, got 7.5",
    ],
    [
      "a number written as text",
      { endpoint, auth: token, options: { syncPeriodSeconds: "15" } },
      'spec.options.syncPeriodSeconds: expected a whole number from 3 to 3600, got "15"',
    ],
    [
      "a tolerance in percent",
      { endpoint, auth: token, options: { tolerance: 10 } },
      "spec.options.tolerance: expected a number from 0 to 1, got 10",
    ],
    [
      "a window in milliseconds",
      { endpoint, auth: token, options: { downscaleStabilizationSeconds: 300_000 } },
      "spec.options.downscaleStabilizationSeconds: expected a whole number from 0 to 86400, got 300000",
    ],
    [
      "an option that is misspelt",
      { endpoint, auth: token, options: { tolerence: 0.2 } },
      "spec.options.tolerence: unknown field (did you mean tolerance?), expected one of syncPeriodSeconds, tolerance, " +
        "downscaleStabilizationSeconds, cpuInitializationPeriodSeconds, initialReadinessDelaySeconds, mirrorEvents",
    ],
    [
      "a null where text belongs",
      { endpoint, auth: token, tlsServerName: null },
      "spec.tlsServerName: expected text that is not empty, got null",
    ],
  ])("with %s", (_name, spec, invalid) => {
    expect(decode(spec)).toEqual({ key: "prod", invalid });
  });

  test.each([
    ["CLUSTER#a#b", "a#b"],
    ["CLUSTER#", ""],
    ["CLUSTER# ", " "],
    ["cluster#prod", "cluster#prod"],
    ["CLUSTER#pr\nod", "pr\nod"],
    ["CLUSTER#pr\u0000od", "pr\u0000od"],
    ["CLUSTER#\u202edorp", "\u202edorp"],
  ])("with pk %j", (pk, key) => {
    const invalid = `pk: expected "CLUSTER#<cluster>", a name without "#" and control characters, got ${JSON.stringify(pk)}`;
    expect(decode({ endpoint, auth: token }, pk)).toEqual({ key, invalid });
  });

  test("a long value is cut in the message", () => {
    const { invalid } = decode({ endpoint: "x".repeat(5000), auth: token }) as { invalid: string };
    expect(invalid.length).toBeLessThan(200);
  });
});

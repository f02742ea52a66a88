import { requireEksNames } from "../../../lib/cluster/auth/eks-cluster";

const prod = { type: "eks", clusterName: "prod", region: "eu-central-1" } as const;

test.each([
  ["eu-central-1", "prod"],
  ["us-gov-east-1", "p"],
  ["us-isob-east-12", "A".repeat(100)],
  ["eu-central-1", "9a_b-c"],
])("region %s and cluster %s are names of AWS", (region, clusterName) => {
  expect(() => requireEksNames({ ...prod, region, clusterName }, "any name")).not.toThrow();
});

/** A region becomes part of a host that gets a signature. */
test.each([
  "evil.example/eu-central-1",
  "eu-central-1.evil.example",
  "eu",
  "EU-central-1",
  "eu-central-123",
  "eu-central-",
  "",
])("region %j is none", (region) => {
  expect(() => requireEksNames({ ...prod, region }, "prod")).toThrow(
    "auth.region: expected an AWS region such as eu-central-1, got another text",
  );
});

test.each(["", "-prod", "/prod", "prod/x", "a".repeat(101), "prod\n"])("cluster %j is none", (clusterName) => {
  expect(() => requireEksNames({ ...prod, clusterName }, "prod")).toThrow(
    "auth.clusterName: expected an EKS cluster's name, got another text",
  );
});

test("the name of an entry is in a role's external id, and free without one", () => {
  const roleArn = "arn:aws:iam::123456789012:role/ebb";
  expect(() => requireEksNames({ ...prod, roleArn }, "prod_1+=,.@:/-")).not.toThrow();
  for (const name of ["a b", "prod\n", "ü"])
    expect(() => requireEksNames({ ...prod, roleArn }, name)).toThrow(
      "auth.roleArn: expected an entry's name of letters",
    );
});

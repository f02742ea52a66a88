import { granteeOf, subjectOf, subjectOptions } from "../../../cli/set-up/rbac-manifests";

const all = "system:authenticated";

test.each<[string, string, readonly string[], string]>([
  ["a service account", "system:serviceaccount:ebb:ebb", ["system:serviceaccounts", all], "--service-account ebb/ebb"],
  ["a certificate of the group ebb", "anybody", ["ebb", all], ""],
  ["a certificate of another group: its user alone", "deployer", ["team-a", all], "--user deployer"],
  ["a static token", "ebb", [all], "--user ebb"],
  ["a superuser, who needs nothing", "kubernetes-admin", ["system:masters", all], ""],
  [
    "a name that only begins as a service account's",
    "system:serviceaccount:ebb",
    [all],
    "--user system:serviceaccount:ebb",
  ],
])("%s", (_, username, groups, options) => {
  expect(subjectOptions(subjectOf({ username, groups })).join(" ")).toBe(options);
});

describe("on EKS", () => {
  const eks = { type: "eks", clusterName: "prod", region: "eu-west-1" } as const;
  const username = "arn:aws:sts::123456789012:assumed-role/ebb-sync/aws-sdk-js-1";
  const roleArn = "arn:aws:iam::123456789012:role/ebb-sync";

  test.each([
    ["a role of the group ebb", username, ["ebb"], eks, { subject: [] }],
    [
      "a group of its access entry goes before the name of a session",
      username,
      ["scalers"],
      eks,
      { subject: ["--group", "scalers"] },
    ],
    ["a role of no group must be put into the group ebb", username, [], eks, { subject: [], role: { eks, roleArn } }],
    [
      "the role that the entry names",
      username,
      [],
      { ...eks, roleArn: "arn:aws:iam::1:role/path/r" },
      {
        subject: [],
        role: { eks: { ...eks, roleArn: "arn:aws:iam::1:role/path/r" }, roleArn: "arn:aws:iam::1:role/path/r" },
      },
    ],
    [
      "a user of IAM, whose name stays",
      "arn:aws:iam::123456789012:user/me",
      [],
      eks,
      { subject: ["--user", "arn:aws:iam::123456789012:user/me"] },
    ],
    ["a superuser", username, ["system:masters"], eks, { subject: [] }],
  ])("%s", (...[, name, groups, auth, expected]) => {
    expect(granteeOf({ username: name, groups: [all, ...groups] }, auth)).toEqual(expected);
  });
});

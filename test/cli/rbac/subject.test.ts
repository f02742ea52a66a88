import { subjectOf, subjectOptions } from "../../../cli/rbac/subject";

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

test("on EKS, a group of the access entry goes before the name of the session", () => {
  const user = { username: "arn:aws:sts::1:assumed-role/ebb/session", groups: [all, "scalers"] };
  expect(subjectOptions(subjectOf(user, { prefersGroups: true }))).toEqual(["--group", "scalers"]);
});

import { postgresqlCredential } from "../../../lib/sources/postgresql/postgresql-session";

const pair = { certificate: "CERT", key: "KEY" };
const of = (login: object, hidden: readonly string[], more: object = {}) => ({ username: "u", login, hidden, ...more });

test.each<[string, Readonly<Record<string, unknown>>, object | undefined]>([
  ["a password", { username: "u", password: "p" }, of({ password: "p" }, ["p"])],
  ["a certificate", { username: "u", ...pair }, of({ password: "" }, ["KEY"], { certificate: pair })],
  ["both", { username: "u", password: "p", ...pair }, of({ password: "p" }, ["p", "KEY"], { certificate: pair })],
  ["IAM", { username: "u", iam: "eu-west-1" }, of({ iam: "eu-west-1" }, [])],
  [
    "IAM beside a certificate",
    { username: "u", iam: "us-gov-east-1", ...pair },
    of({ iam: "us-gov-east-1" }, ["KEY"], { certificate: pair }),
  ],
  ["nothing", {}, undefined],
  ["a name alone", { username: "u" }, undefined],
  ["a password alone", { password: "p" }, undefined],
  ["an empty name", { username: "", password: "p" }, undefined],
  ["an empty password", { username: "u", password: "" }, undefined],
  ["an empty password beside a certificate", { username: "u", password: "", ...pair }, undefined],
  ["IAM beside a password", { username: "u", password: "p", iam: "eu-west-1" }, undefined],
  ["no region", { username: "u", iam: "eu" }, undefined],
  ["a region within another host", { username: "u", iam: "x.eu-west-1" }, undefined],
  ["a region that leads elsewhere", { username: "u", iam: "eu-west-1.evil.example" }, undefined],
  ["a region that is no text", { username: "u", iam: 1 }, undefined],
  ["a certificate without its key", { username: "u", password: "p", certificate: "CERT" }, undefined],
  ["a key without its certificate", { username: "u", password: "p", key: "KEY" }, undefined],
])("a secret with %s", (_what, members, expected) => {
  const read = postgresqlCredential.read(members);
  if (expected === undefined) expect(read).toBeUndefined();
  else expect(read).toEqual(expected);
});

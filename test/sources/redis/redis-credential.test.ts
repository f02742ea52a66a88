import { redisCredential } from "../../../lib/sources/redis/redis-session";

const pair = { certificate: "CERT", key: "KEY" };
const login = { username: "u", password: "p" };

test.each<[string, Readonly<Record<string, unknown>>, object | undefined]>([
  ["a password", { password: "p" }, { login: { password: "p" }, hidden: ["p"] }],
  ["a name and a password", login, { login, hidden: ["p"] }],
  ["one for the sentinels alone", { sentinelPassword: "s" }, { sentinelLogin: { password: "s" }, hidden: ["s"] }],
  [
    "both",
    { ...login, sentinelUsername: "v", sentinelPassword: "s" },
    { login, sentinelLogin: { username: "v", password: "s" }, hidden: ["p", "s"] },
  ],
  ["a certificate", pair, { hidden: ["KEY"], certificate: pair }],
  [
    "a certificate beside a password",
    { password: "p", ...pair },
    { login: { password: "p" }, hidden: ["p", "KEY"], certificate: pair },
  ],
  ["nothing", {}, undefined],
  ["a name alone", { username: "u" }, undefined],
  ["an empty password", { password: "" }, undefined],
  ["a name that is no text", { username: 1, password: "p" }, undefined],
  ["an empty name", { username: "", password: "p" }, undefined],
  ["a sentinel's name alone", { password: "p", sentinelUsername: "v" }, undefined],
  ["a certificate without its key", { password: "p", certificate: "CERT" }, undefined],
  ["a key without its certificate", { password: "p", key: "KEY" }, undefined],
  ["a certificate whose key is empty", { certificate: "CERT", key: "" }, undefined],
])("a secret with %s", (_what, members, expected) => {
  expect(redisCredential.read(members)).toEqual(expected);
});

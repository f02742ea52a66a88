import { isCredentialName, withoutCredentials } from "../../lib/sources/credentials";

test.each([
  ["password", true],
  ["keyPassword", true],
  ["personalAccessToken", true],
  ["queryKey", true],
  ["cosmosDBKey", true],
  ["connectionString", true],
  ["storageConnection", true],
  ["x-api-key", true],
  ["PRIVATE-TOKEN", true],
  ["Authorization", true],
  ["userName", true],
  ["connectionLimit", false],
  ["keyspace", false],
  ["queueName", false],
  ["oauthTokenURI", false],
  ["passwordFromEnv", false],
  ["keyParamName", false],
  ["X-Scope-OrgID", false],
  ["jwt", true],
  ["credential", true],
  ["credentials", true],
  ["compass", false],
  ["passenger", false],
  ["monkey", false],
  ["keyword", false],
  ["key", true],
  ["--key--", true],
  ["a--token", true],
  ["superuser", false],
  ["users", false],
  ["tokenUrl", false],
  ["urlToken", true],
  ["tokenUrlHash", true],
  ["", false],
])("%s is spelt like a credential: %s", (name, expected) => {
  expect(isCredentialName(name)).toBe(expected);
});

const login = "its user and password";

test.each<[string, string, readonly string[]]>([
  ["https://corp\\svc:s3cret@mq.example:15671/shop", "https://mq.example:15671/shop", [login]],
  ["mongodb://me:s3cret@m:27017/d", "mongodb://m:27017/d", [login]],
  ["redis://:s3cret@a:1,redis://:s3cret@b:2", "redis://a:1,redis://b:2", [login]],
  ["https://me:s3/cret@h.example/x", "https://h.example/x", [login]],
  ["https://me:s3?cret@h.example", "https://h.example", [login]],
  ["https://me:s3@cret@h.example/x", "https://h.example/x", [login]],
  ["https://me@h.example/x", "https://h.example/x", [login]],
  ["https://me:p@s3/cret@h.example:8080/x", "https://h.example:8080/x", [login]],
  ["https://me:p@s3/c@r/et@h.example", "https://h.example", [login]],
  ["https://me:s3cret@h.example/a@b", "https://h.example/a@b", [login]],
  ["https://me:s3cret@h:8080/a@b.example", "https://h:8080/a@b.example", [login]],
  ["https://me:s3cret@h.example/x?mail=a@b.example", "https://h.example/x?mail=a@b.example", [login]],
  ["https://h.example/x?api_key=s3cret&b=2", "https://h.example/x?b=2", ["api_key"]],
  ["https://h.example/x?b=2&access_token=s3cret", "https://h.example/x?b=2", ["access_token"]],
  ["https://h.example/x?token=s3cret", "https://h.example/x", ["token"]],
  ["Server=db;Password=s3cret;Database=d", "Server=db;Database=d", ["Password"]],
  ["http://h.example:8080/a@b", "http://h.example:8080/a@b", []],
  ["https://h.example/a@b?mail=a@b.example", "https://h.example/a@b?mail=a@b.example", []],
  ["https://h.example/depth?key=orders", "https://h.example/depth?key=orders", []],
  [
    "https://h.example/x?key=orders-eu-central-1-2026-prod",
    "https://h.example/x?key=orders-eu-central-1-2026-prod",
    [],
  ],
  ["https://h.example/x?b=2&key=AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "https://h.example/x?b=2", ["key"]],
  ["https://h.example/x?key=6f1c2a3b4d5e6f708192a3b4c5d6e7f8&b=2", "https://h.example/x?b=2", ["key"]],
  ["https://h.example/x?key=6f1c2a3b-4d5e-6f70-8192-a3b4c5d6e7f8", "https://h.example/x", ["key"]],
  ["https://h.example/x?key=s3cretS3cretS3cretS3cret", "https://h.example/x", ["key"]],
  ["amqp://mq.example:5672//prod", "amqp://mq.example:5672//prod", []],
  ["job:depth:sum@1609746000", "job:depth:sum@1609746000", []],
  ["queue:mail@eu:1", "queue:mail@eu:1", []],
  ["SELECT count(*) FROM t WHERE token=1", "SELECT count(*) FROM t WHERE token=1", []],
  ["", "", []],
])("%s without its credentials is %s", (given, text, lost) => {
  expect(withoutCredentials(given)).toEqual({ text, lost });
});

test.each<[string, string, string, readonly string[]]>([
  ["address", "me:s3cret@h.example:6379", "h.example:6379", [login]],
  ["address", "me:s3cret@10.0.0.7", "10.0.0.7", [login]],
  ["address", ":s3/cr@et@h.example:1,me:s3cret@redis", "h.example:1,redis", [login]],
  ["address", "me:s3cret@tcp(h.example:3306)/d", "tcp(h.example:3306)/d", [login]],
  ["address", "h.example:9090/a@b.example", "h.example:9090/a@b.example", []],
  ["natsServerMonitoringEndpoint", "me:s3cret@nats:8222", "nats:8222", [login]],
  ["key", "queue:mail@eu", "queue:mail@eu", []],
])("%s: %s without its credentials is %s", (name, given, text, lost) => {
  expect(withoutCredentials(given, name)).toEqual({ text, lost });
});

test("100,000 characters take no n² steps", () => {
  for (const [text, more] of [
    ["https://", "a:"],
    ["https://u@", "/@a.b"],
    ["", "https://"],
    ["", ",a:"],
    ["a", "a"],
  ] as const)
    expect(withoutCredentials(`${text}${more.repeat(100_000 / more.length)}`, "address").text.length).toBeGreaterThan(
      0,
    );
});

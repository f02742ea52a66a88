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
  ["https://h.example/x?api_key=s3cret&b=2", "https://h.example/x?b=2", ["api_key"]],
  ["https://h.example/x?b=2&access_token=s3cret", "https://h.example/x?b=2", ["access_token"]],
  ["https://h.example/x?token=s3cret", "https://h.example/x", ["token"]],
  ["Server=db;Password=s3cret;Database=d", "Server=db;Database=d", ["Password"]],
  ["http://h.example:8080/a@b", "http://h.example:8080/a@b", []],
  ["https://h.example/a@b?mail=a@b.example", "https://h.example/a@b?mail=a@b.example", []],
  ["https://h.example/depth?key=orders", "https://h.example/depth?key=orders", []],
  ["amqp://mq.example:5672//prod", "amqp://mq.example:5672//prod", []],
  ["SELECT count(*) FROM t WHERE token=1", "SELECT count(*) FROM t WHERE token=1", []],
  ["", "", []],
])("%s without its credentials is %s", (given, text, lost) => {
  expect(withoutCredentials(given)).toEqual({ text, lost });
});

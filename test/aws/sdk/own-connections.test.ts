import type { RequestListener } from "node:http";
import { assumeRole } from "../../../lib/cluster/auth/assume-role";
import { openCloudWatchClients, GetMetricDataCommand } from "../../../lib/aws/sdk/cloudwatch-clients";
import { openSecrets } from "../../../lib/secrets/secrets";
import { loopbackServers } from "../../backends/loopback";

/** The SDK's clients: a process that was frozen finds each connection dead that it kept. */
const servers = loopbackServers();
const region = "eu-west-1";
const credentials = { accessKeyId: "AKID", secretAccessKey: "s3cr3t" };
const { signal } = new AbortController();

const json =
  (body: object): RequestListener =>
  (request, response) => {
    request.resume().on("end", () => response.writeHead(200).end(JSON.stringify(body)));
  };
const token = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey>
<SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

test.each<[client: string, answer: RequestListener, open: (endpoint: string) => () => Promise<unknown>]>([
  [
    "CloudWatch",
    json({ MetricDataResults: [] }),
    (endpoint) => {
      const client = openCloudWatchClients({ endpoint, region, credentials })();
      const at = new Date(0);
      return () => client.send(new GetMetricDataCommand({ StartTime: at, EndTime: at, MetricDataQueries: [] }));
    },
  ],
  [
    "Secrets Manager",
    json({ SecretString: "x" }),
    () => {
      const read = openSecrets({ region });
      return () => read("ebb/prod/token", signal);
    },
  ],
  [
    "SSM",
    json({ Parameter: { Value: "x" } }),
    () => {
      const read = openSecrets({ region });
      return () => read("ssm:/ebb/prod/token", signal);
    },
  ],
  [
    "STS",
    (request, response) => {
      request.resume().on("end", () => response.writeHead(200, { "content-type": "text/xml" }).end(token));
    },
    () => {
      const role = { roleArn: "arn:aws:iam::123456789012:role/ebb", region, externalId: "ebb/prod" };
      return () => assumeRole(role, () => Promise.resolve(credentials))();
    },
  ],
])("%s: each request has a connection of its own", async (_client, answer, open) => {
  const sockets = new Set<unknown>();
  let requests = 0;
  const { url } = await servers.start((request, response) => {
    requests++;
    sockets.add(request.socket);
    answer(request, response);
  });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  });
  const ask = open(url);
  await ask();
  await ask();
  // On a busy machine a client may ask again after its own timeout.
  expect(requests).toBeGreaterThanOrEqual(2);
  expect(sockets.size).toBe(requests);
});

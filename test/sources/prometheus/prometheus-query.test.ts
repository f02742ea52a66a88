import { parsePrometheusQuery } from "../../../lib/sources/prometheus/prometheus-query";

test.each([
  "aps-workspaces.eu-west-1.amazonaws.com",
  "aps-workspaces-fips.us-east-1.amazonaws.com",
  "aps-workspaces.cn-north-1.amazonaws.com.cn",
  "aps-workspaces.eu-west-1.api.aws",
])("a request to %s is signed for the workspaces' service", (host) => {
  const { server } = parsePrometheusQuery({
    metricName: "jobs",
    parameters: { url: `https://${host}/workspaces/ws-1`, query: "up", sigv4Region: "eu-west-1" },
  });
  expect(server.sigv4).toEqual({ region: "eu-west-1", service: "aps" });
  const plain = { url: `https://${host}`, query: "up" };
  expect(parsePrometheusQuery({ metricName: "jobs", parameters: plain }).server).not.toHaveProperty("sigv4");
});

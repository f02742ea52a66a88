import { openCloudWatchClients } from "../../lib/aws/sdk/cloudwatch-clients";

test.each([["CloudWatch", () => openCloudWatchClients()("eu-west-1")]])(
  "%s: no request and no answer is prepared for a log that nobody writes",
  (_, open) => {
    const client = open();
    const steps = client.middlewareStack.identify().join("\n");
    expect(steps).toContain("boundedAnswers");
    expect(steps).not.toContain("loggerMiddleware");
    client.destroy();
  },
);

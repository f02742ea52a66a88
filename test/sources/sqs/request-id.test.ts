import { openSqsClients } from "../../../lib/aws/clients";
import type { Post } from "../../../lib/aws/http/post";
import { requestIdIn } from "../../../lib/model/fault";
import { openSqsSource } from "../../../lib/sources/sqs/sqs";
import { noLimit } from "../../time/no-limit";
import { readAll } from "../read-all";

test("the id of a refused request is found by what the reading says, which the condition and the log quote", async () => {
  const post: Post = () =>
    Promise.resolve({
      status: 403,
      headers: { "x-amzn-requestid": "5a1b-refused" },
      body: Buffer.from('{"__type":"com.amazonaws.sqs#AccessDenied","message":"no"}'),
    });
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const source = openSqsSource(openSqsClients({ region: "eu-west-1", credentials, post }));
  const [reading] = await readAll(source, [{ metricName: "sqs", parameters: { queue: "orders" } }], 0, noLimit());
  const { error } = reading as { readonly error: string };
  expect(error).toContain("access denied");
  expect(error).not.toContain("5a1b-refused");
  expect(requestIdIn(`unable to get external metric: ${error}`)).toBe("5a1b-refused");
});

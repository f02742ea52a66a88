/** @jest-environment node */
import { openSqsClients } from "../../../lib/aws/clients";
import type { Post, PostAnswer } from "../../../lib/aws/http/post";
import { GetQueueAttributesCommand } from "../../../lib/aws/http/sqs-commands";

const region = "eu-west-1";
const credentials = { accessKeyId: "AKID", secretAccessKey: "s3cr3t" };
const input = { QueueUrl: "https://sqs.eu-west-1.amazonaws.com/123456789012/orders", AttributeNames: ["All" as const] };

beforeEach(() => jest.useFakeTimers({ now: Date.UTC(2026, 0, 1), doNotFake: ["nextTick", "setImmediate"] }));
afterEach(() => jest.useRealTimers());

describe("a signature that is used again", () => {
  const now = () => new Date().toUTCString();
  const ok = (): PostAnswer => ({ status: 200, headers: { date: now() }, body: Buffer.from("{}") });
  const refusal = (name: string, status: number): PostAnswer => ({
    status,
    headers: { date: now() },
    body: Buffer.from(JSON.stringify({ __type: name })),
  });

  /** A service that takes each signature once, or refuses all once they are `isRevoked`. */
  function strict(refused: PostAnswer) {
    const seen = new Set<string>();
    const service = { posts: 0, isRevoked: false, refusals: 0 };
    const post: Post = ({ headers: { authorization = "" } }) => {
      service.posts += 1;
      const isRefused = service.isRevoked || seen.has(authorization);
      seen.add(authorization);
      return Promise.resolve(isRefused ? refused : ok());
    };
    const onSignatureRefused = () => (service.refusals += 1);
    const client = openSqsClients({ endpoint: "http://localhost", region, credentials, post, onSignatureRefused })();
    return { service, ask: () => client.send(new GetQueueAttributesCommand(input)) };
  }

  test.each([
    ["SignatureDoesNotMatch", 403],
    ["IncompleteSignature", 400],
    ["AccessDenied", 403],
  ])("and refused as %s is asked with a new one, and none is used again", async (name, status) => {
    const { service, ask } = strict(refusal(name, status));
    const later = async () => (jest.setSystemTime(Date.now() + 1_000), ask());
    await ask();
    await later();
    expect(service).toMatchObject({ posts: 3, refusals: 1 });
    await later();
    await later();
    expect(service).toMatchObject({ posts: 5, refusals: 1 });
  });

  test("stays in use when the new one is refused as well", async () => {
    const { service, ask } = strict(refusal("AccessDenied", 403));
    await ask();
    service.isRevoked = true;
    await expect(ask()).rejects.toMatchObject({ name: "AccessDenied" });
    expect(service).toMatchObject({ posts: 3, refusals: 0 });
  });
});

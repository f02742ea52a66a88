import { realClock } from "../../local/clock";
import { seededRandom } from "../../local/random";
import { createAccount } from "../../local/backends/sqs/account";
import { actions } from "../../local/backends/sqs/actions";
import { startSqsServer } from "../../local/backends/sqs/server";
import { sqsContract } from "../contract/sqs-contract";

/** A queue account of these names, asked for its lists as the server would ask. */
function listOf(names: readonly string[]) {
  const clock = realClock();
  const account = createAccount({ clock, random: seededRandom(1) });
  names.forEach((name) => account.create(name));
  const call = { account, endpoint: "http://x", signal: new AbortController().signal };
  return (input: object) => {
    const list = actions["ListQueues"]?.({ ...call, input: { ...input } }) as {
      readonly QueueUrls?: readonly string[];
      readonly NextToken?: string;
    };
    return { names: (list.QueueUrls ?? []).map((url) => url.split("/").at(-1)), token: list.NextToken };
  };
}

describe("ListQueues of the simulation", () => {
  test("has a token while more follows, and goes on after the last queue though queues come and go", () => {
    const list = listOf(["b", "a", "d", "c", "x"]);
    const first = list({ MaxResults: 2 });
    expect(first.names).toEqual(["a", "b"]);
    const second = list({ MaxResults: 2, NextToken: first.token });
    expect(second.names).toEqual(["c", "d"]);
    expect(list({ MaxResults: 2, NextToken: second.token })).toEqual({ names: ["x"], token: undefined });
    expect(list({ MaxResults: 5 }).token).toBeUndefined();
  });

  test("without MaxResults it ends after 1,000 queues, without a token", () => {
    const list = listOf(Array.from({ length: 1_001 }, (_, index) => `q${index}`));
    expect(list({}).names).toHaveLength(1_000);
    expect(list({}).token).toBeUndefined();
    expect(list({ MaxResults: 1_000 }).token).toBeDefined();
  });

  test.each([
    [{ MaxResults: 0 }, "MaxResults"],
    [{ MaxResults: 1_001 }, "MaxResults"],
    [{ MaxResults: 2, NextToken: "nonsense" }, "token"],
  ])("refuses %j", (input, said) => {
    expect(() => listOf(["a"])(input)).toThrow(said);
  });
});

sqsContract("simulation", async () => {
  const clock = realClock();
  const server = await startSqsServer(createAccount({ clock, random: seededRandom(1) }));
  return {
    endpoint: server.endpoint,
    credentials: server.credential,
    async tearDown() {
      clock.close();
      await server.close();
    },
  };
});

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { openEventBus } from "../../../lib/aws/notifications/publishers";
import { openTopic } from "../../../lib/aws/notifications/sns-topic";
import { asHpaKey } from "../../../lib/model/hpa-key";
import type { CloudEvent } from "../../../lib/model/ports/publisher";
import { eventOf, leftOutEvent } from "../../../lib/notify/event";
import { seenIn } from "../../../lib/notify/lasting";
import { atMax, entry, noon, orders, stateAt } from "../../notify/states";

const { signal } = new AbortController();
const topicArn = "arn:aws:sns:eu-west-1:111122223333:ebb";
const busArn = "arn:aws:events:eu-west-1:111122223333:event-bus/ebb";

function eventFor(hpa = orders, version = 7): CloudEvent {
  const state = stateAt(noon, version, atMax);
  const seen = seenIn(state, noon, entry);
  return eventOf({ type: "at-max", hpa, version, at: noon, since: noon, state, seen, entry }, "ebb-prod");
}

const events = [eventFor(), eventFor({ cluster: "test", key: asHpaKey("shop/mail") })] as const;
const leftOut = leftOutEvent({ version: 3, hour: noon, sent: 100, leftOut: 7 }, 100, "ebb-prod");

let server: Server | undefined;
afterEach(() => server?.close());

/** The SDK's own client, and a service that gives these answers in turn: `npm run aws-checks` reads what is sent. */
async function recording(answers: readonly { readonly status?: number; readonly body: string }[]) {
  const bodies: string[] = [];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      const answer = answers[Math.min(bodies.length, answers.length) - 1];
      response.writeHead(answer?.status ?? 200, { connection: "close" }).end(answer?.body);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  return { config: { region: "eu-west-1", credentials, endpoint, maxAttempts: 1 }, bodies: () => bodies };
}

describe("a topic", () => {
  const answer = (inner: string) => ({
    body: `<PublishBatchResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishBatchResult>${inner}</PublishBatchResult></PublishBatchResponse>`,
  });
  const successful = (...ids: readonly number[]) =>
    `<Successful>${ids.map((id) => `<member><Id>${id}</Id><MessageId>m${id}</MessageId></member>`).join("")}</Successful>`;
  const failed = (id: number, code: string, sender: boolean) =>
    `<Failed><member><Id>${id}</Id><Code>${code}</Code><Message>why</Message><SenderFault>${sender}</SenderFault></member></Failed>`;
  const fields = (body = "") => Object.fromEntries(new URLSearchParams(body));
  const of = (at: number) => `PublishBatchRequestEntries.member.${at}`;

  test("gets the event as JSON, and e-mail a text", async () => {
    const { config, bodies } = await recording([answer(successful(0, 1))]);
    expect(await openTopic(topicArn, config).publish([...events], signal)).toEqual(new Map());
    const sent = fields(bodies()[0]);
    expect(sent).toMatchObject({ Action: "PublishBatch", TopicArn: topicArn, [`${of(1)}.MessageStructure`]: "json" });
    const message = JSON.parse(sent[`${of(1)}.Message`] ?? "") as Record<string, string>;
    expect(JSON.parse(message["default"] ?? "")).toEqual(events[0]);
    expect(message["email"]).toBe(
      "prod: shop/orders is at max since 2026-03-01T12:00:00.000Z.\n\nTooManyReplicas: why: TooManyReplicas\n\n" +
        `State: at max\n\nMore: ebb explain hpa/orders -n shop --cluster prod\n\nTime: ${events[0].time}   id: ${events[0].id}\n`,
    );
    expect(sent[`${of(1)}.Subject`]).toMatch(/^ebb: prod: shop\/orders is at max/);
    expect(sent[`${of(1)}.MessageAttributes.entry.1.Value.StringValue`]).toBe("dev.ebb.hpa.at-max");
  });

  test("that is FIFO gets the id to drop repeats by, and a group for each HPA", async () => {
    const { config, bodies } = await recording([answer(successful(0, 1, 2))]);
    await openTopic(`${topicArn}.fifo`, config).publish([events[0], eventFor(orders, 8), leftOut], signal);
    const sent = fields(bodies()[0]);
    const [first, second, third] = [1, 2, 3].map((at) => sent[`${of(at)}.MessageGroupId`]);
    expect(sent[`${of(1)}.MessageDeduplicationId`]).toBe(events[0].id);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(JSON.parse(sent[`${of(3)}.Message`] ?? "")).toEqual(leftOut);
    expect(sent[`${of(1)}.Subject`]).toBeUndefined();
  });

  test("says which events it did not take, and whether they may go again", async () => {
    const { config } = await recording([
      answer(failed(0, "InvalidParameter", true) + successful(1)),
      answer(failed(0, "InternalError", false)),
      answer(failed(0, "ThrottledException", true) + successful(1)),
    ]);
    const topic = openTopic(topicArn, config);
    const [one, other] = [events[0].id, events[1].id];
    expect(await topic.publish([...events], signal)).toEqual(
      new Map([[one, { message: "InvalidParameter why", isFinal: true }]]),
    );
    expect([...(await topic.publish([...events], signal))]).toEqual([
      [one, { message: "InternalError why", isFinal: false }],
      [other, { message: "missing in the answer", isFinal: false }],
    ]);
    expect((await topic.publish([...events], signal)).get(one)?.isFinal).toBe(false);
  });

  test("that refuses all is a Fault that names the right it needs", async () => {
    const body =
      "<ErrorResponse><Error><Type>Sender</Type><Code>AuthorizationError</Code><Message>no</Message></Error></ErrorResponse>";
    const { config } = await recording([{ status: 403, body }]);
    await expect(openTopic(topicArn, config).publish([...events], signal)).rejects.toMatchObject({
      kind: "forbidden",
      message: expect.stringContaining("the role needs sns:Publish") as string,
    });
  });

  test("gets no name or text that it would refuse", async () => {
    const { config, bodies } = await recording([answer(successful(0))]);
    const hostile = eventFor({ cluster: "prod\ud800", key: asHpaKey("\u0000\u001b[31m\nü/\ud800") });
    await openTopic(topicArn, config).publish([hostile], signal);
    const sent = fields(bodies()[0]);
    expect(sent[`${of(1)}.Subject`]).toMatch(/^[\x20-\x7e]{1,99}$/);
    for (const [name, value] of Object.entries(sent))
      if (name.endsWith("StringValue")) expect(value).not.toMatch(/[\p{Cc}\ud800]/u);
    const { email } = JSON.parse(sent[`${of(1)}.Message`] ?? "") as { readonly email: string };
    expect(email.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    expect(email).not.toContain("More:");
  });
});

describe("an event bus", () => {
  const answer = (...entries: readonly object[]) => ({
    body: JSON.stringify({ FailedEntryCount: 0, Entries: entries }),
  });

  test("gets the event as the detail, and its type as the detail's", async () => {
    const { config, bodies } = await recording([answer({ EventId: "1" }, { EventId: "2" })]);
    expect(await openEventBus(busArn, config).publish([...events], signal)).toEqual(new Map());
    const { Entries } = JSON.parse(bodies()[0] ?? "") as { readonly Entries: readonly Record<string, string>[] };
    expect(Entries[0]).toMatchObject({ EventBusName: busArn, Source: "dev.ebb", DetailType: "dev.ebb.hpa.at-max" });
    expect(Entries.map(({ Detail }) => JSON.parse(Detail ?? "") as unknown)).toEqual([...events]);
  });

  test("says which events it did not take, and whether they may go again", async () => {
    const { config } = await recording([
      answer({ ErrorCode: "MalformedDetail", ErrorMessage: "why" }, { ErrorCode: "ThrottlingException" }),
      answer(),
    ]);
    const bus = openEventBus(busArn, config);
    expect([...(await bus.publish([...events], signal)).values()]).toEqual([
      { message: "MalformedDetail why", isFinal: true },
      { message: "ThrottlingException", isFinal: false },
    ]);
    expect([...(await bus.publish([...events], signal)).values()].map(({ isFinal }) => isFinal)).toEqual([
      false,
      false,
    ]);
  });
});

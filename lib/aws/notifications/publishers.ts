import type { SNSClientConfig } from "@aws-sdk/client-sns";
import { EventBridgeClient, type EventBridgeClientConfig, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import type { Publisher, RefusedEvent } from "../../model/ports/publisher";
import { callAws } from "../call";
import { answerBytes, withBoundedAnswers } from "../sdk/bounded-answers";
import { openTopic } from "./sns-topic";
import { transport } from "./transport";

const source = "dev.ebb";

const finalCodes = ["MalformedDetail", "InvalidArgument", "ValidationException"];

/** EventBridge gives no order and drops no repeated id. */
export function openEventBus(arn: string, config: EventBridgeClientConfig = {}): Publisher {
  const client = withBoundedAnswers(new EventBridgeClient({ ...transport, ...config }), answerBytes.sqs);
  return {
    async publish(events, signal) {
      const Entries = events.map((event) => ({
        EventBusName: arn,
        Source: source,
        DetailType: event.type,
        Time: new Date(event.time),
        Detail: JSON.stringify(event),
      }));
      const call = { action: "events:PutEvents", description: `event bus ${arn}`, signal };
      const answer = await callAws(call, (abortSignal) =>
        client.send(new PutEventsCommand({ Entries }), { abortSignal }),
      );
      return new Map(
        events.flatMap(({ id }, at): readonly (readonly [string, RefusedEvent])[] => {
          const { EventId, ErrorCode = "missing in the answer", ErrorMessage = "" } = answer.Entries?.[at] ?? {};
          if (EventId !== undefined) return [];
          return [[id, { message: `${ErrorCode} ${ErrorMessage}`.trim(), isFinal: finalCodes.includes(ErrorCode) }]];
        }),
      );
    },
  };
}

/** Only the function notify loads this file, with two clients of the SDK. */
export function publisherTo(arn: string, config: SNSClientConfig & EventBridgeClientConfig = {}): Publisher {
  return arn.split(":")[2] === "sns" ? openTopic(arn, config) : openEventBus(arn, config);
}

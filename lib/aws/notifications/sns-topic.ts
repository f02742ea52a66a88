import {
  PublishBatchCommand,
  type PublishBatchRequestEntry,
  SNSClient,
  type SNSClientConfig,
} from "@aws-sdk/client-sns";
import { escapeLine, escapeTerminal } from "../../k8s/escape-terminal";
import { cutText } from "../../k8s/go-text";
import { isOfHpa, type CloudEvent, type Publisher, type RefusedEvent } from "../../model/ports/publisher";
import { callAws } from "../call";
import { answerBytes, withBoundedAnswers } from "../sdk/bounded-answers";
import { transport } from "./transport";

/** SNS refuses a longer one, and anything but printable ASCII. */
const mostSubject = 99;

/** E-mail gets a text in place of the JSON. A FIFO topic has no e-mail, and drops a repeated id for five minutes. */
export function openTopic(arn: string, config: SNSClientConfig = {}): Publisher {
  const client = withBoundedAnswers(new SNSClient({ ...transport, ...config }), answerBytes.sqs);
  const isFifo = arn.endsWith(".fifo");
  return {
    async publish(events, signal) {
      const entries = events.map((event, at) => (isFifo ? fifoEntry(event, at) : entryOf(event, at)));
      const command = new PublishBatchCommand({ TopicArn: arn, PublishBatchRequestEntries: entries });
      const call = { action: "sns:Publish", description: `topic ${arn}`, signal };
      const answer = await callAws(call, (abortSignal) => client.send(command, { abortSignal }));
      const accepted = new Set(answer.Successful?.map(({ Id }) => Id));
      const failures = new Map(answer.Failed?.map((failure) => [failure.Id, failure]));
      return new Map(
        events.flatMap(({ id }, at): readonly (readonly [string, RefusedEvent])[] => {
          if (accepted.has(String(at))) return [];
          const { Code = "missing in the answer", Message = "", SenderFault } = failures.get(String(at)) ?? {};
          return [[id, { message: `${Code} ${Message}`.trim(), isFinal: SenderFault === true && !isThrottled(Code) }]];
        }),
      );
    },
  };
}

function isThrottled(code: string): boolean {
  return /thrott/i.test(code);
}

function fifoEntry(event: CloudEvent, at: number): PublishBatchRequestEntry {
  return {
    Id: String(at),
    Message: JSON.stringify(event),
    MessageGroupId: isOfHpa(event) ? event.data.group : "left-out",
    MessageDeduplicationId: event.id,
    MessageAttributes: attributesOf(event),
  };
}

function entryOf(event: CloudEvent, at: number): PublishBatchRequestEntry {
  const text = JSON.stringify(event);
  return {
    Id: String(at),
    Subject: subjectOf(event),
    Message: JSON.stringify({ default: text, email: emailOf(event) }),
    MessageStructure: "json",
    MessageAttributes: attributesOf(event),
  };
}

/** For the filter policies of subscriptions. */
function attributesOf(event: CloudEvent): PublishBatchRequestEntry["MessageAttributes"] {
  const named = isOfHpa(event) ? { cluster: event.data.cluster, namespace: event.data.namespace } : {};
  const values = Object.entries({ type: event.type, ...named }).filter(([, value]) => value !== "");
  return Object.fromEntries(
    values.map(([name, value]) => [name, { DataType: "String", StringValue: wellFormed(escapeLine(value)) }]),
  );
}

function subjectOf({ data: { summary } }: CloudEvent): string {
  const ascii = summary.replace(/[^\x20-\x7e]/g, "?");
  return cutText(`ebb: ${ascii}`, mostSubject);
}

function emailOf(event: CloudEvent): string {
  if (!isOfHpa(event)) return `${event.data.summary}.\n`;
  const { summary, states, reason, message, command } = event.data;
  const lines = [
    `${summary}.`,
    ...(reason === undefined ? [] : [`${reason}: ${message ?? ""}`]),
    ...(states.length === 0 ? [] : [`State: ${states.join(", ")}`]),
    ...(command.every((word) => /^[\w./:@-]+$/.test(word)) ? [`More: ${command.join(" ")}`] : []),
    `Time: ${event.time}   id: ${event.id}`,
  ];
  return `${wellFormed(escapeTerminal(lines.join("\n\n")))}\n`;
}

/** SNS refuses a lone surrogate. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

import { row } from "../../../lib/model/advice";
import { describeKind } from "../../../lib/sources/description";
import { readParameters } from "../../../lib/sources/fields/read-fields";
import { numeric, onlySet } from "../../../lib/sources/keda";
import { madeUpFields } from "./fields";
import { madeUp } from "./kind";

export const describedMadeUp = describeKind(madeUp, madeUpFields, {
  summary: "The lag of a made-up topic.",
  parameters: {
    topic: "Which topic.",
    partitions: "How many of its partitions count. Default 1.",
    isStrict: "Or not.",
  },
  parse: ({ parameters }) => readParameters(madeUpFields, parameters),
  example: { topic: "orders", partitions: "3" },
  averageValue: "20",
  advice: row`check that the topic exists and that the role allows madeup:ReadTopic`,
  iam: [{ Sid: "ReadMadeUpTopics", Action: "madeup:ReadTopic", Resource: "*" }],
  billedByAws: ({ parameters }) => [
    { what: "topic", unit: "SQS request", key: JSON.stringify(parameters["topic"]), keptSeconds: 0 },
  ],
  keda: {
    "made-up-lag": (trigger) => {
      trigger.activation("activationLag");
      const parameters = { topic: trigger.required("topicName"), partitions: numeric(trigger.text("partitions")) };
      return { parameters: onlySet(parameters), target: trigger.text("lag") ?? "5" };
    },
  },
});

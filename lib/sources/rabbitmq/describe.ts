import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedServerFields } from "../fields/web-fields";
import { rabbitmqFields } from "./fields";
import { fromRabbitmq } from "./keda";
import { rabbitmq } from "./kind";
import { parseRabbitmqQuery } from "./rabbitmq-query";

export const describedRabbitmq = describeKind(rabbitmq, rabbitmqFields, {
  summary: "The messages in queues of RabbitMQ, or their rates, by its management API.",
  parameters: {
    url: "The address of the management API, without /api. Required.",
    vhost: "The virtual host, not encoded. Default /.",
    queue: "The queue's name. This or queues is required.",
    queues: "Queues by a regular expression, which matches anywhere in a name, and ignores case.",
    operation: "What becomes of several queues' values. Default sum.",
    measure: "messages are ready and unacknowledged ones, rates messages a second. Default messages.",
    absent: "The value if there is no such queue. Default error.",
    ...describedServerFields,
  },
  parse: parseRabbitmqQuery,
  example: { url: "https://mq.example.com:15671", queue: "orders" },
  advice: row`check that the management plugin is enabled at url, and that the secret's user has the tag management and access to the virtual host`,
  iam: [],
  keda: { rabbitmq: fromRabbitmq },
});

import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedServerFields } from "../fields/web-fields";
import { rabbitmqFields, parseRabbitmqQuery } from "./rabbitmq-query";
import { rabbitmq } from "./kind";
import { type FromKeda, type KedaTrigger, noteTls, onlySet, timeoutOf } from "../keda";

const measures: Readonly<Record<string, string>> = {
  QueueLength: "messages",
  MessageRate: "publishRate",
  DeliverGetRate: "deliverRate",
};

interface Host {
  readonly url?: string | undefined;
  readonly vhost?: string | undefined;
  readonly isAmqp: boolean;
}

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

/** KEDA also has AMQP, which only knows the ready messages. */
function fromRabbitmq(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationValue");
  const isRegex = trigger.flag("useRegex", false);
  const { url, vhost, isAmqp } = hostOf(trigger);
  const mode = trigger.text("mode") ?? "QueueLength";
  const hasEqual = Object.hasOwn(measures, mode);
  if (!hasEqual)
    trigger.note("mode", `has no equal for ${mode}: read publishRate and deliverRate, and combine them in a formula`);
  if (mode === "MessageRate")
    trigger.note(
      "mode",
      "is MessageRate: KEDA also starts the first replica while messages wait. Add a metric of the messages for that",
    );
  const isReadyOnly = trigger.flag("excludeUnacknowledged", false) || isAmqp;
  const measure = measures[mode];
  if (trigger.text("pageSize") !== undefined) trigger.note("pageSize", "is not needed: ebb reads all pages");
  for (const name of ["username", "password"]) trigger.secret(name, name);
  trigger.lost("tls", "is not carried over: an https url says the same");
  noteTls(trigger, "the server's");
  return {
    ...(!hasEqual && { kind: `rabbitmq-${mode}` }),
    parameters: onlySet({
      url,
      vhost,
      [isRegex ? "queues" : "queue"]: trigger.required("queueName"),
      operation: isRegex ? trigger.text("operation") : undefined,
      measure: measure === "messages" && isReadyOnly ? "ready" : measure,
      // KEDA reads 0 if no queue matches.
      absent: isRegex ? 0 : undefined,
      timeoutSeconds: timeoutOf(trigger),
    }),
    target: trigger.text("value") ?? trigger.text("queueLength") ?? "20",
  };
}

/** The path's last segment is the virtual host, unless vhostName is set. */
function hostOf(trigger: KedaTrigger): Host {
  const host = trigger.required("host");
  const protocol = trigger.text("protocol");
  const vhostName = trigger.text("vhostName");
  const { protocol: scheme = "" } = host !== undefined && URL.canParse(host) ? new URL(host) : {};
  const isAmqp = protocol === "amqp" || (protocol !== "http" && /^amqps?:$/.test(scheme));
  if (host === undefined || scheme === "") return { url: host, vhost: vhostName, isAmqp };
  const given = new URL(host.replace(/^amqp/, "http"));
  if (given.username !== "" || given.password !== "")
    trigger.note(
      "host",
      "is carried over without its user and password: put them into a secret, and name it in the entry",
    );
  const segments = given.pathname.split("/").filter((segment) => segment !== "");
  const last = segments.pop();
  const vhost = vhostName ?? (last === undefined ? undefined : decoded(last));
  if (!/^amqps?:$/.test(scheme)) return { url: [`${scheme}//${given.host}`, ...segments].join("/"), vhost, isAmqp };
  const url = scheme === "amqps:" ? `https://${given.hostname}:15671` : `http://${given.hostname}:15672`;
  trigger.note("host", `becomes ${url}, the default address of the management API, which ebb reads: check it`);
  return { url, vhost, isAmqp };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

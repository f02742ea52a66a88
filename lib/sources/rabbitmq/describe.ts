import { row } from "../../model/advice";
import { describeKind } from "../description";
import { describedServerFields } from "../fields/server-fields";
import { rabbitmqFields, parseRabbitmqQuery } from "./rabbitmq-query";
import { rabbitmq } from "./kind";
import { type FromKeda, type KedaTrigger, nonZero, noteTls, onlySet, timeoutOf } from "../keda";

const measures: Readonly<Record<string, string>> = {
  QueueLength: "messages",
  MessageRate: "publishRate",
  DeliverGetRate: "deliverRate",
};

interface Host {
  readonly url?: string | undefined;
  readonly vhost?: string | undefined;
  /** Undefined: protocol is auto, and the host is elsewhere. */
  readonly protocol: string | undefined;
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
  const { url, vhost, protocol } = hostOf(trigger);
  const mode = trigger.text("mode") ?? "QueueLength";
  const hasEqual = Object.hasOwn(measures, mode);
  if (!hasEqual)
    trigger.note(
      "mode",
      `has no equal for ${mode}: read publishRate and deliverRate, and combine them in a formula`,
      "held",
    );
  if (mode === "MessageRate")
    trigger.note(
      "mode",
      "is MessageRate: KEDA also starts the first replica while messages wait. Add a metric of the messages for that",
      "activity",
    );
  const isReadyOnly = trigger.flag("excludeUnacknowledged", false) || protocol === "amqp";
  const measure = hasEqual ? measures[mode] : undefined;
  if (measure === "messages" && protocol === undefined && !isReadyOnly)
    trigger.note(
      "protocol",
      "is auto, and the host is elsewhere: set measure to ready if it is amqp, to messages if it is http, as KEDA counts",
      "step",
    );
  trigger.unneeded("pageSize");
  for (const name of ["username", "password"]) trigger.secret(name, name);
  trigger.unneeded("tls");
  noteTls(trigger, "the server's");
  return {
    ...(!hasEqual && { kind: `rabbitmq-${mode}` }),
    parameters: onlySet({
      url,
      vhost,
      [isRegex ? "queues" : "queue"]: trigger.required("queueName"),
      operation: isRegex ? trigger.text("operation") : undefined,
      measure:
        isReadyOnly && measure === "messages"
          ? "ready"
          : protocol === undefined && measure === "messages"
            ? undefined
            : measure,
      // KEDA reads 0 if no queue matches.
      absent: isRegex ? 0 : undefined,
      timeoutSeconds: timeoutOf(trigger),
    }),
    target: nonZero(trigger, "value") ?? nonZero(trigger, "queueLength") ?? "20",
  };
}

/**
 * Nothing, or `/` alone, is the virtual host /, and vhostName takes its place. Upstream, KEDA 2.21:
 * getVhostAndPathFromURL in pkg/scalers/rabbitmq_scaler.go, and ParseURI of amqp091-go.
 */
function hostOf(trigger: KedaTrigger): Host {
  const host = trigger.required("host");
  const protocol = trigger.text("protocol") ?? "auto";
  const vhostName = trigger.text("vhostName");
  const parts = /^(https?|amqps?):\/\/([^/?#]*)([^?#]*)/i.exec(host ?? "");
  if (parts === null) return { url: host, vhost: vhostName, protocol: protocol === "auto" ? undefined : protocol };
  const [, given = "", authority = "", path = ""] = parts;
  const scheme = given.toLowerCase();
  const [beforeLast, last] = [path.slice(0, path.lastIndexOf("/") + 1), path.slice(path.lastIndexOf("/") + 1)];
  const isAmqp = scheme.startsWith("amqp");
  const inPath = decoded(isAmqp ? path.slice(1) : last);
  const vhost = vhostName ?? (inPath === "" ? undefined : inPath);
  const spoken = protocol === "auto" ? (isAmqp ? "amqp" : "http") : protocol;
  if (!isAmqp) {
    const segments = beforeLast.split("/").filter((segment) => segment !== "");
    return { url: [`${scheme}://${authority}`, ...segments].join("/"), vhost, protocol: spoken };
  }
  const name = authority.replace(/:\d*$/, "");
  const url = scheme === "amqps" ? `https://${name}:15671` : `http://${name}:15672`;
  trigger.note("host", `becomes ${url}, the default address of the management API, which ebb reads: check it`, "step");
  return { url, vhost, protocol: spoken };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

import { type FromKeda, type KedaTrigger, noteTls, onlySet, timeoutOf } from "../keda";

const measures: Readonly<Record<string, string>> = {
  QueueLength: "messages",
  MessageRate: "publishRate",
  DeliverGetRate: "deliverRate",
};

/** KEDA also has AMQP, which only knows the ready messages. */
export function fromRabbitmq(trigger: KedaTrigger): FromKeda {
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

interface Host {
  readonly url?: string | undefined;
  readonly vhost?: string | undefined;
  readonly isAmqp: boolean;
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

import { type FromKeda, type KedaTrigger, onlySet } from "../keda";

const measures: Readonly<Record<string, string>> = {
  QueueLength: "messages",
  MessageRate: "publishRate",
  DeliverGetRate: "deliverRate",
};

/** rabbitmq: KEDA asks the management API, or AMQP, which only knows the ready messages. */
export function fromRabbitmq(trigger: KedaTrigger): FromKeda {
  trigger.activation("activationValue");
  const isRegex = trigger.flag("useRegex", false);
  const { url, vhost, isAmqp } = hostOf(trigger);
  const mode = trigger.text("mode") ?? "QueueLength";
  if (!Object.hasOwn(measures, mode))
    trigger.note("mode", `has no equal for ${mode}: read publishRate and deliverRate, and combine them in a formula`);
  const isReadyOnly = trigger.flag("excludeUnacknowledged", false) || isAmqp;
  const measure = measures[mode] ?? "publishRate";
  if (trigger.text("pageSize") !== undefined) trigger.note("pageSize", "is not needed: ebb reads all pages");
  if (trigger.flag("unsafeSsl", false))
    trigger.note("unsafeSsl", "is not carried over: set certificateAuthorityData to the server's CA");
  return {
    parameters: onlySet({
      url,
      vhost,
      [isRegex ? "queues" : "queue"]: trigger.required("queueName"),
      operation: isRegex ? trigger.text("operation") : undefined,
      measure: measure === "messages" && isReadyOnly ? "ready" : measure,
      timeoutSeconds: secondsOf(trigger.text("timeout")),
    }),
    target: trigger.text("value") ?? trigger.text("queueLength") ?? "20",
  };
}

interface Host {
  readonly url?: string | undefined;
  readonly vhost?: string | undefined;
  readonly isAmqp: boolean;
}

/** The last segment of its path is the virtual host, unless vhostName is. */
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

/** Milliseconds as whole seconds that a source may have. */
function secondsOf(milliseconds: string | undefined): number | undefined {
  if (milliseconds === undefined || !/^\d{1,9}$/.test(milliseconds)) return undefined;
  return Math.min(10, Math.max(1, Math.ceil(Number(milliseconds) / 1000)));
}

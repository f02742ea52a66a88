import { parseGoBool } from "../../../../lib/k8s/go-text";

/** A setting, and the words after "expected". */
export type SettingProblem = readonly [name: string, expected: string];

export interface GivenSettings {
  /** As KEDA reads it: without spaces around it, and undefined if nothing is left. */
  readonly text: (name: string) => string | undefined;
  /** True if it may be in the container's environment or in the trigger's authentication. */
  readonly isElsewhere: (name: string) => boolean;
  /** True in a formula, which has its own target. */
  readonly isOperand: boolean;
}

function isTrue({ text }: GivenSettings, name: string): boolean {
  return parseGoBool(text(name) ?? "") === true;
}

/** KEDA takes 0 for a target that is not there. */
export function isZero(name: string, { text }: GivenSettings): boolean {
  return Number(text(name) ?? 0) === 0;
}

type Check = (given: GivenSettings) => readonly SettingProblem[];

function besideProblems(given: GivenSettings, name: string, other: string): readonly SettingProblem[] {
  return isTrue(given, name) && isTrue(given, other) ? [[name, `no ${other} beside it`]] : [];
}

function topicProblems({ text, isElsewhere }: GivenSettings, whose: readonly string[]): readonly SettingProblem[] {
  const lacksTopic = whose.length > 0 && text("topic") === undefined && !isElsewhere("topic");
  return lacksTopic ? [["topic", `a topic, for ${whose.join(" and ")}`]] : [];
}

/** Each checks several settings at once, as Validate of KEDA's scalers does. Upstream, KEDA 2.21: pkg/scalers. */
export const lagProblems: Check = (given) => [
  ...besideProblems(given, "limitToPartitionsWithLag", "allowIdleConsumers"),
  ...topicProblems(given, isTrue(given, "limitToPartitionsWithLag") ? ["limitToPartitionsWithLag"] : []),
  ...(Number(given.text("activationLagThreshold") ?? "0") < 0
    ? [["activationLagThreshold", "a number that is 0 or more"] as const]
    : []),
  ...(/^\d+( *- *\d+)?( *, *\d+( *- *\d+)?)*$/.test(given.text("partitionLimitation") ?? "0")
    ? []
    : [["partitionLimitation", "partitions such as 0,2,4-7"] as const]),
];

/** The trigger apache-kafka does not look at these. */
export const evenProblems: Check = (given) => {
  const even = "ensureEvenDistributionOfPartitions";
  const isPartial = parseGoBool(given.text("fullMetadata") ?? "") === false;
  return [
    ...besideProblems(given, even, "limitToPartitionsWithLag"),
    ...topicProblems(given, [...(isTrue(given, even) ? [even] : []), ...(isPartial ? ["fullMetadata"] : [])]),
  ];
};

/** Upstream: ParseKafkaVersion of sarama. */
export const versionProblems: Check = ({ text }) =>
  /^([1-9]\d*|0\.\d+)\.\d+\.\d+$/.test(text("version") ?? "1.0.0") ? [] : [["version", "a version such as 3.6.0"]];

export const saslProblems: Check = ({ text, isElsewhere }) => {
  const sasl = text("sasl");
  const isIam = sasl === "aws_msk_iam" || (sasl === "oauthbearer" && text("saslTokenProvider") === "aws_msk_iam");
  if (!isIam) return [];
  const isPlain = text("tls") !== "enable" && (text("tls") !== undefined || !isElsewhere("tls"));
  return [
    ...(isPlain ? [["tls", "enable, for aws_msk_iam"] as const] : []),
    ...(text("awsRegion") === undefined ? [["awsRegion", "a region, for aws_msk_iam"] as const] : []),
  ];
};

export const portProblems: Check = ({ text, isElsewhere }) => {
  const named = (names: readonly string[]) => names.find((name) => text(name) !== undefined);
  const isThere = (name: string) => text(name) !== undefined || isElsewhere(name);
  const host = named(["host", "hosts"]);
  if (host === undefined) return [];
  const port = host === "hosts" ? "ports" : "port";
  const [hosts, given] = [text(host), text(named(["port", "ports"]) ?? port)].map((list) => list?.split(","));
  if (given === undefined)
    return ["address", "addresses"].some(isThere) || isElsewhere(port) ? [] : [[port, "a port for each host"]];
  const count = hosts?.length ?? 0;
  return given.length === count ? [] : [[port, `as many ports as ${host} has hosts (${count}), with commas`]];
};

export const dimensionProblems: Check = ({ text }) => {
  if (text("expression") !== undefined) return [];
  const [names, values] = ["dimensionName", "dimensionValue"].map((name) => text(name)?.split(";"));
  if (names === undefined) return [["dimensionName", "the name of a dimension, or several with semicolons"]];
  if (names.length === values?.length) return [];
  return [["dimensionValue", `as many values as dimensionName has names (${names.length}), with semicolons`]];
};

export const periodProblems: Check = ({ text }) => {
  const counted = ["metricStatPeriod", "metricCollectionTime"];
  const isCount = (name: string) => /^[1-9]\d{0,8}$/.test(text(name) ?? "300");
  const wrong = counted.filter((name) => !isCount(name));
  if (wrong.length > 0) return wrong.map((name) => [name, "a whole number of seconds above 0"]);
  const [period = 300, collected = 300] = counted.map((name) => Number(text(name) ?? 300));
  if (![1, 5, 10, 30].includes(period) && period % 60 !== 0)
    return [["metricStatPeriod", "1, 5, 10, 30 or a multiple of 60"]];
  return collected % period === 0 ? [] : [["metricCollectionTime", `a multiple of metricStatPeriod (${period})`]];
};

export function pairProblems(name: string, { text }: GivenSettings): readonly SettingProblem[] {
  const items = text(name)?.split(",") ?? [];
  return items.every((item) => item.split("=").length === 2) ? [] : [[name, "name=value, or several with commas"]];
}

/** A duration of Go, or milliseconds. */
export const timeoutProblems: Check = ({ text }) => {
  const isRight = /^\+?(\d+|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text("timeout") ?? "0");
  return isRight ? [] : [["timeout", "milliseconds or a duration such as 5s"]];
};

/** Both names are read everywhere. */
export function modeProblems(known: readonly string[], { text }: GivenSettings): readonly SettingProblem[] {
  const name = text("authModes") === undefined ? "authMode" : "authModes";
  const modes = text(name)?.split(",") ?? [];
  const given = modes.map((mode) => mode.trim());
  if (!given.every((mode) => known.includes(mode))) return [[name, `one of ${known.join(", ")}`]];
  const exclusive = ["bearer", "basic", "oauth"].filter((mode) => given.includes(mode));
  return exclusive.length > 1 ? [[name, `only one of ${exclusive.join(", ")}`]] : [];
}

export const queueProblems: Check = (given) => {
  const [value, length] = ["value", "queueLength"].map((name) => (isZero(name, given) ? undefined : given.text(name)));
  const mode = given.text("mode");
  if (length !== undefined && (mode ?? value) !== undefined)
    return [["queueLength", "no mode and value beside it: it is their older form"]];
  if (length !== undefined || (mode === undefined && value === undefined)) return [];
  if (mode === undefined) return [["mode", "a mode such as QueueLength, for value"]];
  return value === undefined ? [["value", "a number above 0"]] : [];
};

/** Only the management API knows these. */
export const amqpProblems: Check = (given) => {
  const { text } = given;
  const protocol = text("protocol") ?? "auto";
  const isAmqp = protocol === "amqp" || (protocol === "auto" && /^amqps?:/i.test(text("host") ?? ""));
  const pages = text("pageSize") ?? "1";
  const mode = text("mode") ?? "QueueLength";
  return [
    ...(Number(pages) < 1 ? [["pageSize", "a number above 0"] as const] : []),
    ...(isAmqp
      ? ["useRegex", "excludeUnacknowledged"]
          .filter((name) => isTrue(given, name))
          .map((name) => [name, overHttp] as const)
      : []),
    ...(isAmqp && mode !== "QueueLength" ? [["mode", `QueueLength, or ${overHttp}`] as const] : []),
    ...(isAmqp && !/^[0.a-zµμ]*$/.test(text("timeout") ?? "") && text("mode") !== undefined
      ? [["timeout", overHttp] as const]
      : []),
  ];
};

const overHttp = "protocol http for it";

export const connectionProblems: Check = ({ text, isElsewhere }) => {
  if (text("connection") !== undefined || isElsewhere("connection")) return [];
  const needed = { port: "a port", sslmode: "a mode such as verify-full" };
  return Object.entries(needed).filter(([name]) => text(name) === undefined);
};

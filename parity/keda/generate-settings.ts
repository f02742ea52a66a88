import { documentedTriggers } from "../../test/cli/keda-settings/documented-fields";
import { severalSettings } from "./several-settings";

export type Settings = Readonly<Record<string, string>>;

/** One trigger, as KEDA's scaler and the import read it. */
export interface SettingsCase {
  readonly type: string;
  readonly metadata: Settings;
  readonly metricType?: string;
  /** What KEDA reads from the trigger's TriggerAuthentication. */
  readonly authentication?: Settings;
  /** True in a formula, which has its own target. */
  readonly isOperand?: true;
}

export type Changes = Readonly<Record<string, string | null>>;

export interface ChangedSettings {
  /** What is not as in an accepted trigger; null: not set. */
  readonly changed: Changes;
  readonly asked: SettingsCase;
}

const blanks = [null, "", "  "];
const numbers = [
  ...["0", "-1", "1", "7", "1.5", "05", "1e2", "1E-2", "1k", "500m", "1Ki", ".5", "5.", "0x1", "+5", "1_000", "NaN"],
  ...["Inf", "9223372036854775807", "9223372036854775808", "1e400", "1e-400", "0.0001", "1.0004", "1.0006", "null"],
];
const flags = ["TRUE", "True", "t", "T", "1", "FALSE", "f", "0", "tRuE", "yes", "no", "on", "2"];
const texts = [
  "other",
  "true",
  "0",
  "a,b",
  "a, b",
  "a=b",
  "a=b,c",
  "a=b=c",
  "a;b",
  "1-2",
  "1-",
  "5s",
  "3000",
  "$(VAR)",
];
const durations = ["-5s", "1h30m", "1m.5s", "+5s", "-1", "+1", "0", "5", "5 s", "5S", "1d", "5m5", "1e3"];
const addresses = ["https://a.example", "http://a.example/x", "a.example:1", "a", "ftp://a", "HTTPS://a.example"];

const role = { awsRoleArn: "arn:aws:iam::123456789012:role/keda" };
/** KEDA refuses these triggers without a credential, which ebb's own secret or role has instead. */
const authenticated: Readonly<Record<string, Settings>> = {
  ...{ "aws-sqs-queue": role, "aws-cloudwatch": role },
  kafka: { username: "u", password: "p", ...role },
  "apache-kafka": { username: "u", password: "p", ...role },
};
const isOfPods = (type: string) => type === "cpu" || type === "memory";

/** Every documented setting without a value and with others, several settings, and other types of metrics. */
export function generateSettings(): readonly ChangedSettings[] {
  return documentedTriggers.flatMap(({ types, metadata, fields }) =>
    types.flatMap((type) => {
      const names = new Set([...Object.keys(fields), ...Object.keys(metadata)]);
      const own = [...names].filter((name) => !name.endsWith("FromEnv"));
      const base: SettingsCase = {
        ...{ type, metadata },
        ...(isOfPods(type) && { metricType: "Utilization" }),
        ...(authenticated[type] && { authentication: authenticated[type] }),
      };
      return [
        ...own.flatMap((name) => {
          const sample = fields[name] ?? metadata[name] ?? "";
          const samples = typeof sample === "string" ? [sample] : "value" in sample ? [sample.value] : sample;
          const beside = typeof sample === "object" && "beside" in sample ? sample.beside : {};
          const accepted = { ...base, metadata: { ...metadata, ...beside, ...needed[name] } };
          return valuesOf(name, samples).map((value) => change(accepted, { [name]: value }));
        }),
        ...(severalSettings[type] ?? []).map(([changed]) => change(base, changed)),
        ...otherTargets(base, own),
      ];
    }),
  );
}

const iam = {
  tls: "enable",
  awsRegion: "eu-west-1",
  bootstrapServers: "b-1.a.b.c4.kafka.eu-west-1.amazonaws.com:9098",
};

/** Beside which a setting is looked at, or some of its values are accepted. */
const needed: Readonly<Record<string, Settings>> = {
  sasl: iam,
  saslTokenProvider: { ...iam, sasl: "oauthbearer" },
  format: { valueLocation: "queue_depth" },
};

function change({ metadata, ...others }: SettingsCase, changed: Changes): ChangedSettings {
  const merged = Object.entries({ ...metadata, ...changed });
  const given = merged.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return { changed, asked: { ...others, metadata: Object.fromEntries(given) } };
}

function valuesOf(name: string, samples: readonly string[]): readonly (string | null)[] {
  const [sample = ""] = samples;
  const other = samples.flatMap((one) => [one, ` ${one} `, one.toUpperCase(), one.toLowerCase()]);
  const pool =
    name === "timeout"
      ? durations
      : /^-?\d+(\.\d+)?$/.test(sample)
        ? numbers
        : /^(true|false)$/.test(sample)
          ? flags
          : [...texts, ...(/[a-z]\.example/.test(sample) ? addresses : [])];
  return [...new Set([...blanks, ...other, ...pool])];
}

const targets = new Set([
  ...["threshold", "targetValue", "targetQueryValue", "targetMetricValue", "value", "lagThreshold", "queueLength"],
  ...["listLength", "streamLength"],
]);

function otherTargets(base: SettingsCase, names: readonly string[]): readonly ChangedSettings[] {
  const kinds = ["AverageValue", "Value", "Utilization"].filter((kind) => kind !== base.metricType);
  const quantities = ["500m", "1Ki", "1e3", "ten", "-1", "0", "5.", " 5 ", "1e400", ".5", "5 m", "0.0001"];
  const target = names.find((name) => targets.has(name));
  return [
    ...kinds.map((metricType) => change({ ...base, metricType }, {})),
    ...(isOfPods(base.type)
      ? quantities.map((value) => change({ ...base, metricType: "AverageValue" }, { value }))
      : (target === undefined ? [] : [null, "0", "-1", "x", "5"]).map((value) =>
          change({ ...base, isOperand: true }, { [target as string]: value }),
        )),
  ];
}

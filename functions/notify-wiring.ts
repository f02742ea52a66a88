import { openPublisher, openNotified, openTable } from "../compose";
import { parseSelector } from "../lib/k8s/selector";
import { Fault } from "../lib/model/fault";
import { hpaTypes } from "../lib/model/notification";
import type { NotifyPorts } from "../lib/notify/notify";
import type { NotifySettings } from "../lib/notify/settings";
import { countOrZero, optionalCount, requireVariable } from "./environment";
import { openReporter, type Telemetry } from "./reporter";

export interface NotifyWiring {
  readonly ports: NotifyPorts;
  readonly settings: NotifySettings;
  readonly reporter: Telemetry;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws Fault "badEntry" */
export async function wireNotify(env: Environment): Promise<NotifyWiring> {
  const reporter = openReporter();
  const now = () => Date.now();
  const settings = notifySettings(env);
  const table = openTable(requireVariable(env, "TABLE_NAME", "the name of the DynamoDB table"));
  const arn = requireVariable(env, "NOTIFY_ARN", "the ARN of an SNS topic or an EventBridge bus");
  const ports = { store: openNotified(table, now), publisher: await openPublisher(arn), reporter, now };
  return { ports, settings, reporter };
}

export function notifySettings(env: Environment): NotifySettings {
  const minutes = (name: string, otherwise: number) =>
    (countOrZero(env, name, "a whole number of minutes") ?? otherwise) * 60_000;
  const lasting = minutes("NOTIFY_MINUTES", 10);
  return {
    stack: env["POWERTOOLS_SERVICE_NAME"] || "ebb",
    afterMs: {
      failing: minutes("NOTIFY_FAILING_MINUTES", 1),
      "unknown-metric": lasting,
      "at-max": lasting,
      "not-woken": lasting,
    },
    hourlyCap: optionalCount(env, "NOTIFY_HOURLY_CAP", "a whole number, 1 or more") ?? 100,
    filters: {
      types: new Set(listIn(env, "NOTIFY_TYPES").map(typeNamed)),
      clusters: new Set(listIn(env, "NOTIFY_CLUSTERS")),
      namespaces: new Set(listIn(env, "NOTIFY_NAMESPACES")),
      labels: labelsIn(env),
    },
  };
}

function listIn(env: Environment, name: string): readonly string[] {
  const items = (env[name] ?? "").split(",").map((item) => item.trim());
  return items.filter((item) => item !== "");
}

function typeNamed(text: string): (typeof hpaTypes)[number] {
  const found = hpaTypes.find((type) => type === text);
  if (found !== undefined) return found;
  throw new Fault("badEntry", `environment variable NOTIFY_TYPES: expected ${hpaTypes.join(", ")}, got ${text}`);
}

function labelsIn(env: Environment): NotifySettings["filters"]["labels"] {
  const text = env["NOTIFY_LABELS"] ?? "";
  try {
    return parseSelector(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Fault("badEntry", `environment variable NOTIFY_LABELS: expected a label selector, got ${text}: ${why}`);
  }
}

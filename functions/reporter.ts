import { Logger } from "@aws-lambda-powertools/logger";
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import { cutText } from "../lib/k8s/go-text";
import { Fault, isFault, requestIdIn } from "../lib/model/fault";
import type { FailureLine, ScaledLine, SyncCounts, TickCounts } from "../lib/model/report";

/** The limit of a message in a log line: messages quote servers and entries. */
const lineBytes = 8_192;

interface Outputs {
  readonly logger: Pick<Logger, "info" | "warn" | "error" | "appendKeys">;
  readonly metrics: Pick<Metrics, "addMetric" | "hasStoredMetrics" | "publishStoredMetrics">;
}

/** Nothing here throws. */
export interface Telemetry {
  scaled(line: ScaledLine): void;
  failed(line: FailureLine): void;
  recovered(line: Pick<FailureLine, "cluster" | "key">): void;
  synced(counts: SyncCounts): void;
  ticked(counts: TickCounts): void;
  started(requestId: string): void;
  /** The message stays in the queue: it is retried, or ends in the dead-letter queue. */
  messageFailed(error: unknown, message: { readonly messageId: string; readonly body: string }): void;
  invocationFailed(error: unknown): void;
  signatureRefused(): void;
  unsent(notifications: number): void;
  warned(message: string, error?: unknown): void;
  flush(): void;
}

/**
 * Structured logs and embedded metrics (EMF) on standard output. Metrics have one dimension, `service`, so their number
 * and price do not grow with clusters or HPAs.
 */
export function openReporter({ logger, metrics }: Outputs = openOutputs()): Telemetry {
  /** Powertools throws on values that CloudWatch would reject. A metric must not fail a sync. */
  function guarded(what: string, write: () => void): void {
    try {
      write();
    } catch (error) {
      logger.warn(`${what} failed`, { error });
    }
  }
  function count(
    values: Readonly<Record<string, number>>,
    unit: (typeof MetricUnit)[keyof typeof MetricUnit] = MetricUnit.Count,
  ): void {
    for (const [name, value] of Object.entries(values)) {
      guarded(`metric ${name}`, () => metrics.addMetric(name, unit, value));
    }
  }

  return {
    scaled({ namespace, name, target, from, to, message, at, ...line }) {
      const fields = {
        ...line,
        hpa: `${namespace}/${name}`,
        target,
        from,
        to,
        because: cutText(message, lineBytes),
        at: instant(at),
      };
      logger.info(`${namespace}/${target} ${from} → ${to}`, fields);
    },
    failed({ key, message, at, failingSince, ...line }) {
      const lasting = failingSince === undefined ? "" : `has failed since ${instant(failingSince)}: `;
      logger.warn(cutText(`${key ?? line.cluster}: ${lasting}${message}`, lineBytes), {
        ...line,
        ...(key && { hpa: key }),
        ...(failingSince !== undefined && { failingSince: instant(failingSince) }),
        ...awsRequest(message),
        at: instant(at),
      });
    },
    recovered({ cluster, key }) {
      logger.info(`${key ?? cluster}: recovered`, { cluster, ...(key && { hpa: key }) });
    },
    synced({ outcome, hpas, scaled, failed, behind, lagMs, durationMs }) {
      if (outcome === "late") return count({ LateSlots: 1 });
      // The other outcomes are normal with at-least-once delivery: nothing was synced.
      if (outcome !== "synced") return;
      count({ HpasSynced: hpas, Scalings: scaled, Failures: failed, HpasBehind: behind });
      count({ SyncLag: lagMs, SyncDuration: durationMs }, MetricUnit.Milliseconds);
    },
    ticked({ clusters, shards, messages, failing }) {
      count({ Clusters: clusters, Shards: shards, Messages: messages, FailingHpas: failing });
    },
    started(requestId) {
      logger.appendKeys({ function_request_id: requestId });
    },
    messageFailed(error, { messageId, body }) {
      logger.error("message not processed", { messageId, body: excerpt(body), error: errorOf(error) });
      count({ MessagesFailed: 1 });
    },
    invocationFailed(error) {
      logger.error("invocation failed", { error: errorOf(error) });
    },
    signatureRefused() {
      logger.warn("AWS refused a signature that it had taken before, and took a new one; ebb reuses none from now on");
      count({ SignaturesRefused: 1 });
    },
    unsent(notifications) {
      count({ NotificationsUnsent: notifications });
    },
    warned(message, error) {
      logger.warn(message, error === undefined ? {} : { error: errorOf(error) });
    },
    flush() {
      if (metrics.hasStoredMetrics()) guarded("publishing metrics", () => metrics.publishStoredMetrics());
    },
  };
}

function openOutputs(): Outputs {
  const serviceName = process.env["POWERTOOLS_SERVICE_NAME"] || "ebb";
  const namespace = process.env["POWERTOOLS_METRICS_NAMESPACE"] || "ebb";
  return { logger: new Logger({ serviceName }), metrics: new Metrics({ serviceName, namespace }) };
}

function errorOf(error: unknown): Error {
  // The cause of a refused credential may quote the signed request.
  if (isFault(error, "unauthorized") && error.cause !== undefined)
    return new Fault(error.kind, error.message, { requestId: error.requestId });
  return error instanceof Error ? error : new Error(`expected an Error to be thrown, got ${String(error)}`);
}

function awsRequest(message: string): { readonly awsRequestId?: string } {
  const id = requestIdIn(message);
  return id === undefined ? {} : { awsRequestId: id };
}

function instant(at: number): string {
  return Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at);
}

function excerpt(body: string): string {
  return body.length > 256 ? `${body.slice(0, 256)}…` : body;
}

import type { ExpositionFormat } from "./exposition";

export const metricsTypes: Readonly<Record<ExpositionFormat, string>> = {
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
};

export const sentenceType = "text/plain; charset=utf-8";

export function formatFor(accept = ""): ExpositionFormat {
  return accept.toLowerCase().includes("application/openmetrics-text") ? "openmetrics" : "prometheus";
}

export interface ScrapeRefusal {
  readonly status: 404 | 405;
  readonly message: string;
}

/** Undefined: it asks for the metrics. */
export function misdirected(method: string | undefined, path: string | undefined): ScrapeRefusal | undefined {
  if (method !== "GET") return { status: 405, message: `expected GET, got ${method}` };
  if (path !== "/metrics") return { status: 404, message: "expected the path /metrics" };
  return undefined;
}

import type { ServicePort } from "./ports/cluster";

/**
 * `prometheus:9090` or `https:prometheus:9090`: in the path of the API server's proxy, and RBAC's name of the resource
 * `services/proxy`.
 */
export function proxyName({ service, port, scheme }: Pick<ServicePort, "service" | "port" | "scheme">): string {
  return `${scheme === "https" ? "https:" : ""}${service}:${port}`;
}

/** The address that a secret is bound to, if its source is read through the API server: `via://shop/redis:6379`. */
export function serviceAddress({ namespace, service, port }: Omit<ServicePort, "scheme">): string {
  return `via://${namespace}/${service}:${port}`;
}

import type { ServicePort } from "./ports/cluster";

/**
 * A service in the path of the API server's proxy: `prometheus:9090`, or `https:prometheus:9090`. In RBAC, it is the
 * name of the resource `services/proxy`.
 */
export function proxyName({ service, port, scheme }: Pick<ServicePort, "service" | "port" | "scheme">): string {
  return `${scheme === "https" ? "https:" : ""}${service}:${port}`;
}

/** Where a secret is for, if its source is read through the API server: `via://shop/redis:6379`. */
export function serviceAddress({ namespace, service, port }: Omit<ServicePort, "scheme">): string {
  return `via://${namespace}/${service}:${port}`;
}

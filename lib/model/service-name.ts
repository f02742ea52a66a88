import type { ServicePort } from "./ports/cluster";

/** `https:prometheus:9090`: in the API server's proxy paths, and RBAC's name in `services/proxy`. */
export function proxyName({ service, port, scheme }: Pick<ServicePort, "service" | "port" | "scheme">): string {
  return `${scheme === "https" ? "https:" : ""}${service}:${port}`;
}

/** `via://shop/redis:6379`: secrets are bound to it. */
export function serviceAddress({ namespace, service, port }: Omit<ServicePort, "scheme">): string {
  return `via://${namespace}/${service}:${port}`;
}

/** The API server forwards a path decoded, so an encoded slash would begin a new segment. */
export function leavesItsPath(path: string): boolean {
  const [whole = ""] = path.split("?");
  const segments = whole.replace(/%2e/gi, ".").split("/");
  return /%(2f|5c|00)/i.test(whole) || segments.some((segment) => segment === "." || segment === "..");
}

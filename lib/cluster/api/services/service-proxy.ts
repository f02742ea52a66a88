import { openEndpointLimiter, type EndpointLimiter } from "../../../async/endpoint-limiter";
import { abortReason, withinTime } from "../../../async/within-time";
import { BoundedMap } from "../../../async/bounded-map";
import { parseMap } from "../../../k8s/map";
import { Fault, isFault } from "../../../model/fault";
import { proxyName } from "../../../model/service-name";
import type { ServiceAnswer, ServiceRequest } from "../../../model/ports/cluster";
import { type ApiClientOptions, insist } from "../api-client";
import { describe, faultOfStatus, type Subject } from "../api-fault";
import { shown } from "../../../model/check/problem";

/** Rejects with a Fault if the API server does not forward the request. */
export type ServiceProxy = (request: ServiceRequest, signal: AbortSignal) => Promise<ServiceAnswer>;

const concurrency = 16;
const mostServices = 500;

/**
 * https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/#manually-constructing-apiserver-proxy-urls
 *
 * The API server uses the Authorization header itself and forwards the others. Each service has its own limiter.
 */
export function serviceProxy(options: ApiClientOptions): ServiceProxy {
  const limiters = new BoundedMap<string, EndpointLimiter>(mostServices);

  return async (request, signal) => {
    const { namespace, service, path, headers, maxBytes, priority = 0 } = request;
    if (!/^\/[!-~]*$/.test(path) || leavesItsPath(path))
      throw new Fault(
        "badEntry",
        `expected a path from / without . and .. as segments and without %2F, got ${shown(path)}`,
      );
    const name = proxyName(request);
    const key = `${namespace}/${name}`;
    const endpoint = `service ${service} in namespace ${namespace}`;
    const limiter = limiters.get(key) ?? openEndpointLimiter({ endpoint, limit: concurrency, now: options.now });
    limiters.set(key, limiter);
    const whole = `/api/v1/namespaces/${encodeURIComponent(namespace)}/services/${encodeURIComponent(name)}/proxy${path}`;
    const subject: Subject = {
      verb: "get",
      group: "",
      resource: "services",
      subresource: "proxy",
      namespace,
      name,
      path: whole,
    };
    const { Accept: accept = "*/*", ...others } = headers;
    const description = describe(subject);
    const call = { method: "GET", subject, accept, headers: others, maxBytes } as const;
    try {
      return await limiter.run({ description, signal, priority, failureKey: `${name}${path}` }, (callSignal) =>
        withinTime(options.timeoutMs, callSignal, async (limit) => {
          const answer = await insist(options, call, limit, signal);
          // The API server's own refusal: the request did not reach the service.
          if (answer.status !== 200 && parseMap(answer.body.toString("utf8"))?.["kind"] === "Status")
            throw faultOfStatus(answer, subject, options.origin);
          return answer;
        }),
      );
    } catch (error) {
      if (isFault(error) || !signal.aborted) throw error;
      throw new Fault("timeout", `${options.origin}: ${abortReason(signal).message} (${description})`, {
        cause: error,
      });
    }
  };
}

/** The API server forwards a path decoded, so an encoded slash would begin a new segment. */
function leavesItsPath(path: string): boolean {
  const [whole = ""] = path.split("?");
  const segments = whole.replace(/%2e/gi, ".").split("/");
  return /%(2f|5c|00)/i.test(whole) || segments.some((segment) => segment === "." || segment === "..");
}

import { openEndpointLimiter, type EndpointLimiter } from "../../../async/endpoint-limiter";
import { abortReason, withinTime } from "../../../async/within-time";
import { BoundedMap } from "../../../async/bounded-map";
import { Fault, isFault } from "../../../model/fault";
import { leavesItsPath, proxyName } from "../../../model/service-name";
import type { PodRequest, ServiceAnswer, ServiceRequest } from "../../../model/ports/cluster";
import { type ApiClientOptions, insist } from "../api-client";
import { describe, faultOfStatus, isStatus, type Subject } from "../api-fault";
import { shown } from "../../../model/check/problem";

/** Rejects with a Fault if the API server does not forward the request. */
export type ServiceProxy = (request: ServiceRequest, signal: AbortSignal) => Promise<ServiceAnswer>;
export type PodProxy = (request: PodRequest, signal: AbortSignal) => Promise<ServiceAnswer>;

const concurrency = 16;
const mostEndpoints = 500;
const podMs = 2_000;

/**
 * https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/#manually-constructing-apiserver-proxy-urls
 *
 * The API server uses the Authorization header itself and forwards the others. Each service has its own limiter.
 */
export function serviceProxy(options: ApiClientOptions): ServiceProxy {
  const exchange = openProxy(options);

  return (request, signal) => {
    const { namespace, service, path, headers, maxBytes, priority = 0 } = request;
    const { Accept: accept = "*/*", ...others } = headers;
    const name = proxyName(request);
    const endpoint = `service ${service} in namespace ${namespace}`;
    const proxied = { resource: "services", namespace, name, path, endpoint, timeoutMs: options.timeoutMs } as const;
    return exchange({ ...proxied, key: `${namespace}/${name}`, accept, headers: others, maxBytes, priority }, signal);
  };
}

/** Each workload has its own limiter. */
export function podProxy(options: ApiClientOptions): PodProxy {
  const exchange = openProxy(options);

  return ({ namespace, workload, pod, port, path, maxBytes }, signal) => {
    const name = proxyName({ service: pod, port, scheme: "http" });
    const endpoint = `the pods of ${workload} in namespace ${namespace}`;
    const proxied = { resource: "pods", namespace, name, path, endpoint, timeoutMs: podMs } as const;
    const key = `${namespace}/${workload}`;
    return exchange({ ...proxied, key, accept: "text/plain, */*", headers: {}, maxBytes, priority: 0 }, signal);
  };
}

interface Proxied {
  readonly resource: "services" | "pods";
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly endpoint: string;
  readonly key: string;
  readonly accept: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  readonly priority: number;
  readonly timeoutMs: number;
}

function openProxy(options: ApiClientOptions): (proxied: Proxied, signal: AbortSignal) => Promise<ServiceAnswer> {
  const limiters = new BoundedMap<string, EndpointLimiter>(mostEndpoints);

  return async ({ resource, namespace, name, path, endpoint, key, timeoutMs, ...sent }, signal) => {
    if (!/^\/[!-~]*$/.test(path) || leavesItsPath(path))
      throw new Fault(
        "badEntry",
        `expected a path from / without . and .. as segments and without %2F, got ${shown(path)}`,
      );
    const limiter = limiters.get(key) ?? openEndpointLimiter({ endpoint, limit: concurrency, now: options.now });
    limiters.set(key, limiter);
    const whole = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}/proxy${path}`;
    const subject: Subject = {
      verb: "get",
      group: "",
      resource,
      subresource: "proxy",
      namespace,
      name,
      path: whole,
    };
    const description = describe(subject);
    const { priority, ...call } = { method: "GET", subject, ...sent } as const;
    try {
      return await limiter.run({ description, signal, priority, failureKey: `${name}${path}` }, (callSignal) =>
        withinTime(timeoutMs, callSignal, async (limit) => {
          const answer = await insist(options, call, limit, signal);
          // The API server's own refusal: the request did not reach the service.
          if (answer.status !== 200 && isStatus(answer)) throw faultOfStatus(answer, subject, options.origin);
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

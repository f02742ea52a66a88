import { isIP } from "node:net";
import { BoundedMap } from "../../../async/bounded-map";
import { shared } from "../../../async/shared";
import { isMap } from "../../../k8s/map";
import type { EpochMs } from "../../../k8s/time";
import { shown } from "../../../model/check/problem";
import { Fault } from "../../../model/fault";
import type { ServiceMember, ServiceStreamRequest } from "../../../model/ports/cluster";
import type { ApiClient } from "../api-client";
import { listPages } from "../pages";
import { isName } from "../readable";

export interface PodPort {
  readonly pod: string;
  readonly port: number;
}

type Service = Pick<ServiceStreamRequest, "namespace" | "service">;

interface ReadyPod {
  readonly name: string;
  readonly hostname: string | undefined;
  readonly addresses: readonly unknown[];
  /** By the name of the service's port; "" if it has none. */
  readonly ports: ReadonlyMap<string, number>;
}

interface Found {
  readonly until: EpochMs;
  readonly pods: Read<readonly ReadyPod[]>;
  /** By number. Read when a request names a port by number. */
  readonly names: Read<ReadonlyMap<number, string>>;
  nextIndex: number;
}

type Read<Of> = (signal: AbortSignal) => Promise<Of>;

const mostServices = 500;
const foundMs = 5_000;
const mostPods = 1_000;

/** From EndpointSlices. Only a port's number needs the service itself, whose ports have names in the slices. */
export function servicePods(api: ApiClient, now: () => EpochMs) {
  const services = new BoundedMap<string, Found>(mostServices);

  function open(request: Service): Found {
    const key = `${request.namespace}/${request.service}`;
    const known = services.get(key);
    if (known !== undefined && now() < known.until) return known;
    const found: Found = {
      until: now() + foundMs,
      pods: cached((signal) => readPods(api, request, signal)),
      names: cached((signal) => readPortNames(api, request, signal)),
      nextIndex: known?.nextIndex ?? 0,
    };
    services.set(key, found);
    return found;
  }

  return {
    /** Rejects with a Fault. */
    async find(request: ServiceStreamRequest, signal: AbortSignal): Promise<PodPort> {
      const { namespace, service, member } = request;
      const found = open(request);
      const pods = await found.pods(signal);
      if (pods.length === 0)
        throw new Fault("unreachable", `service ${service} in namespace ${namespace} has no ready pod`);
      const own = member === undefined || isService(member.host, request) ? (member?.port ?? request.port) : undefined;
      if (own === undefined) return podOf(member as ServiceMember, pods, request);
      const name = /^\d+$/.test(String(own)) ? (await found.names(signal)).get(Number(own)) : String(own);
      const serving = pods.filter(({ ports }) => name !== undefined && ports.has(name));
      const pod = serving[found.nextIndex++ % serving.length];
      const port = pod?.ports.get(name ?? "");
      if (pod === undefined || port === undefined)
        throw new Fault("badEntry", `service ${service} in namespace ${namespace} has no TCP port ${shown(own)}`);
      return { pod: pod.name, port };
    },
    /** For an unreachable pod: the next request reads again. */
    forget({ namespace, service }: Service): void {
      services.delete(`${namespace}/${service}`);
    },
  };
}

function cached<Of>(read: Read<Of>): Read<Of> {
  let answer: { readonly value: Of } | undefined;
  const readOnce = shared(async (signal) => (answer = { value: await read(signal) }));
  return async (signal) => (answer ?? (await readOnce(signal))).value;
}

/** `kafka`, `kafka.shop`, `kafka.shop.svc` and below. */
function isService(host: string, { namespace, service }: ServiceStreamRequest): boolean {
  const [first, second = namespace, third = "svc"] = host.split(".");
  return first === service && second === namespace && third === "svc";
}

/** By the pod's IP, or by its name as in `kafka-0.brokers.shop.svc`. */
function podOf(
  { host, port }: ServiceMember,
  pods: readonly ReadyPod[],
  { namespace, service }: ServiceStreamRequest,
): PodPort {
  const [first, , ofNamespace = namespace, svc = "svc"] = host.split(".");
  const isNamed = ({ name, hostname }: ReadyPod) => name === first || hostname === first;
  const pod =
    isIP(host) === 0
      ? pods.find((one) => isNamed(one) && ofNamespace === namespace && svc === "svc")
      : pods.find(({ addresses }) => addresses.includes(host));
  if (pod !== undefined) return { pod: pod.name, port };
  throw new Fault(
    "badAnswer",
    `a member says that it is at ${shown(`${host}:${port}`)}, which is no ready pod of service ${service} in namespace ${namespace}`,
  );
}

async function readPods(
  api: ApiClient,
  { namespace, service }: Service,
  signal: AbortSignal,
): Promise<readonly ReadyPod[]> {
  const [group, resource] = ["discovery.k8s.io", "endpointslices"];
  const path = `/apis/${group}/v1/namespaces/${encodeURIComponent(namespace)}/${resource}`;
  const subject = { verb: "list", group, resource, namespace, path } as const;
  const query = { first: {}, all: { labelSelector: `kubernetes.io/service-name=${service}`, limit: "100" } };
  const failureKey = `${resource} ${namespace}/${service}`;
  const slices = await listPages(
    api,
    { subject, query, large: true, kinds: ["EndpointSliceList"], failureKey },
    signal,
  );
  const pods = new Map<string, ReadyPod>();
  for (const pod of slices.flatMap((slice) => readSlice(slice, namespace))) {
    const ports = new Map([...(pods.get(pod.name)?.ports ?? []), ...pod.ports]);
    const addresses = [...(pods.get(pod.name)?.addresses ?? []), ...pod.addresses];
    if (pods.size < mostPods || pods.has(pod.name)) pods.set(pod.name, { ...pod, ports, addresses });
  }
  return [...pods.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function readSlice(slice: unknown, namespace: string): readonly ReadyPod[] {
  const { endpoints, ports } = membersOf(slice);
  const byName = new Map(listOf(ports).flatMap(readPort));
  return listOf(endpoints).flatMap((endpoint) => {
    const { addresses, conditions, hostname, targetRef } = membersOf(endpoint);
    const { kind, name, namespace: own = namespace } = membersOf(targetRef);
    // Upstream reads absent as ready.
    const { ready = true } = membersOf(conditions);
    if (kind !== "Pod" || !isName(name) || own !== namespace || ready !== true) return [];
    const known = isName(hostname) ? hostname : undefined;
    return [{ name, hostname: known, addresses: listOf(addresses).slice(0, 10), ports: byName }];
  });
}

async function readPortNames(
  api: ApiClient,
  { namespace, service }: Service,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/services/${encodeURIComponent(service)}`;
  const subject = { verb: "get", group: "", resource: "services", namespace, name: service, path } as const;
  const { spec } = await api({ method: "GET", subject, kinds: ["Service"], failureKey: `service ${path}` }, signal);
  return new Map(
    listOf(membersOf(spec)["ports"])
      .flatMap(readPort)
      .map(([name, port]) => [port, name] as const),
  );
}

/** Go writes no name as "" or leaves it out. */
function readPort(given: unknown): readonly (readonly [name: string, port: number])[] {
  const { name, port, protocol } = membersOf(given);
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535) return [];
  if (protocol !== undefined && protocol !== null && protocol !== "TCP") return [];
  return [[typeof name === "string" ? name : "", port]];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}

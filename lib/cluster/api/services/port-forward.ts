import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { openSemaphore } from "../../../async/semaphore";
import { abortReason, onAbort, withinTime } from "../../../async/within-time";
import { type Credential, withRenewal } from "../../../net/credential";
import { type Answer, resetCodes } from "../../../net/exchange";
import { errorText, Fault, isFault } from "../../../model/fault";
import type { ServiceStream, ServiceStreamRequest } from "../../../model/ports/cluster";
import type { ApiClient, ApiClientOptions } from "../api-client";
import { describe, faultOfStatus, type Subject } from "../api-fault";
import { faultOfChannel, ForwardedStream, maxMessage } from "./forwarded-stream";
import { type PodPort, servicePods } from "./service-pods";

/** Rejects with a Fault. */
export type PortForward = (request: ServiceStreamRequest, signal: AbortSignal) => Promise<ServiceStream>;

const mostStreams = 128;
const maxRefusal = 64 * 1024;
/** Every API server and kubelet since 1.7 speaks it. */
const protocol = "v4.channel.k8s.io";

/** https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#get-connect-portforward-pod-v1-core */
export function portForward(options: ApiClientOptions, api: ApiClient): PortForward {
  const { origin, timeoutMs, now } = options;
  const pods = servicePods(api, now);
  const semaphore = openSemaphore(mostStreams);

  return async (request, signal) => {
    const { priority = 0 } = request;
    return await withinTime(
      timeoutMs,
      signal,
      (limit) =>
        new Promise<ServiceStream>((resolve, reject) => {
          const use = async () => {
            const stream = await open(request, limit);
            resolve(stream);
            await new Promise((closed) => stream.once("close", closed));
          };
          semaphore.run({ signal: limit, priority }, use).catch(reject);
        }),
    ).catch((error: unknown) => {
      if (isFault(error)) throw error;
      const { service, namespace } = request;
      const what = `connect to service ${service} in namespace ${namespace}`;
      throw new Fault("timeout", `${origin}: ${errorText(error)} (${what})`, { cause: error });
    });
  };

  async function open(request: ServiceStreamRequest, signal: AbortSignal): Promise<ForwardedStream> {
    const found = await pods.find(request, signal);
    const subject = subjectOf(request, found);
    try {
      return await insist(options, { ...found, subject }, signal);
    } catch (error) {
      pods.forget(request);
      if (!isFault(error) || error.status !== undefined) throw error;
      throw new Fault(error.kind, `${origin}: ${error.message} (${describe(subject)})`, { cause: error.cause });
    }
  }
}

function subjectOf({ namespace }: ServiceStreamRequest, { pod, port }: PodPort): Subject {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/portforward?ports=${port}`;
  return { verb: "get", group: "", resource: "pods", subresource: "portforward", namespace, name: pod, path };
}

type Dialled = PodPort & { readonly subject: Subject };

/** Like a read: once more after a refused credential, and after the end of a kept connection. */
async function insist(options: ApiClientOptions, dialled: Dialled, signal: AbortSignal): Promise<ForwardedStream> {
  const { authenticator, connection, origin } = options;
  let isReset = false;
  return withRenewal<Credential, ForwardedStream>(authenticator, signal, async (credential) => {
    const answer = await dial(options, dialled, credential, signal);
    if ("stream" in answer) return { value: answer.stream };
    if ("error" in answer) {
      if (isReset || !resetCodes.has(answer.error.code ?? "")) throw faultOfChannel(answer.error);
      isReset = true;
      connection.dropIdle();
      return "again";
    }
    const refused = () => {
      throw withRight(faultOfStatus(answer, dialled.subject, origin), dialled);
    };
    return answer.status === 401 ? { refused } : refused();
  });
}

/** Without the permission to create, the API server says only `pods "redis-0" is forbidden: `. */
function withRight(fault: Fault, { subject }: Dialled): Fault {
  if (fault.status !== 403 || fault.message.includes("pods/portforward")) return fault;
  const right = `cannot create resource "pods/portforward" in the namespace ${JSON.stringify(subject.namespace)}`;
  return new Fault(fault.kind, `${fault.message.trimEnd()} ${right}`, { status: fault.status });
}

type Dialling = { readonly stream: ForwardedStream } | { readonly error: NodeJS.ErrnoException } | Answer;

function dial(
  { connection }: ApiClientOptions,
  { subject, port }: Dialled,
  credential: Credential,
  signal: AbortSignal,
): Promise<Dialling> {
  const { url, agent, headers } = connection.upgrade(subject.path, credential);
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal));
    const channel = new WebSocket(url, protocol, {
      agent,
      headers: { ...headers, "User-Agent": "ebb" },
      maxPayload: maxMessage,
      perMessageDeflate: false,
    });
    let stream: ForwardedStream | undefined;
    const unlisten = onAbort(signal, () => {
      settle(() => reject(abortReason(signal)));
      stream?.destroy();
      channel.terminate();
    });
    const settle = (how: () => void) => {
      unlisten();
      how();
    };
    channel.on("error", (error) => settle(() => resolve({ error })));
    channel.on("unexpected-response", (_request, response) => {
      readRefusal(response).then(
        (answer) => settle(() => resolve(answer)),
        (error: Error) => settle(() => resolve({ error })),
      );
    });
    channel.once("upgrade", ({ socket }) => {
      const forwarded = (stream = new ForwardedStream(channel, socket, port));
      // An error without a listener would end the process.
      forwarded.on("error", () => undefined);
      forwarded.opened.then(
        () => settle(() => resolve({ stream: forwarded })),
        (error: Error) => settle(() => resolve({ error })),
      );
    });
  });
}

function readRefusal(response: IncomingMessage): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    const end = () => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) });
      response.destroy();
    };
    response.on("data", (piece: Buffer) => {
      pieces.push(piece.subarray(0, maxRefusal - bytes));
      bytes += piece.length;
      if (bytes >= maxRefusal) end();
    });
    response.on("end", end);
    response.on("error", reject);
  });
}

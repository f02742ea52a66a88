import { randomUUID } from "node:crypto";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";
import { pause, unlessAborted } from "../async/within-time";
import { type AwsAccess, credentialsOf, findEndpoint, findRegion } from "./access";
import { type AwsCredentialProvider, type AwsCredentials, keepCredentials } from "./credentials";
import type { LightService } from "./endpoint";
import { sdkErrorOf } from "./fault";
import { type JsonCodec, outputOf } from "./json-answer";
import { abortError, openPost, type Post, type PostAnswer, type PostLimits } from "./post";
import { openRetries } from "./retries";
import { Sha256 } from "./sha256";

/** An operation of a service, with its input: the light counterpart of the SDK's command of this name. */
export interface LightCommand<Input extends object, Output> {
  readonly operation: string;
  readonly input: Input;
  /** Only a type: what `send` answers. */
  readonly output?: Output;
}

/** The class of an operation's commands. */
export function commandOf<Input extends object, Output>(operation: string) {
  return class implements LightCommand<Input, Omit<Output, "$metadata">> {
    readonly operation = operation;
    declare readonly output?: Omit<Output, "$metadata">;
    constructor(readonly input: Input) {}
  };
}

/** A service that speaks AWS JSON 1.0. */
export interface JsonService {
  readonly service: LightService;
  /** "AmazonSQS": the operation's prefix in X-Amz-Target. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxAttempts: number;
  readonly limits: PostLimits;
  /** Default: JSON as it is. */
  readonly codec?: JsonCodec;
}

const plainJson: JsonCodec = { encode: JSON.stringify, decode: (text) => JSON.parse(text) as unknown };

export interface JsonClientConfig extends AwsAccess {
  readonly maxAttempts?: number;
  readonly limits?: Partial<PostLimits>;
  /** Default: over the network. */
  readonly post?: Post;
}

/** As much of the SDK's clients as ebb uses. */
export interface JsonClient {
  readonly config: {
    readonly region: () => Promise<string>;
    readonly endpoint: () => Promise<URL>;
    readonly credentials: AwsCredentialProvider;
    /** Sends each attempt. Tests and benches replace it, to count requests or to lose answers. */
    post: Post;
  };
  /** Rejects as the SDK's client does: with the name, $fault and $metadata that lib/aws/fault.ts tells errors by. */
  send: <Input extends object, Output>(
    command: LightCommand<Input, Output>,
    options?: { readonly abortSignal?: AbortSignal },
  ) => Promise<Output>;
  destroy(): void;
}

/** One attempt: what is asked, and the headers that tell it from others. */
interface Sent {
  readonly operation: string;
  readonly body: string;
  readonly about: Readonly<Record<string, string>>;
}

const unaborted = new AbortController().signal;
const expiredNames = ["ExpiredToken", "ExpiredTokenException"];
/** As the SDK: clocks may differ by 5 minutes. */
const skewMs = 300_000;

/**
 * A client of one service in one region: signs, sends, retries and reads as the SDK's client does, at a fifth of its
 * CPU time. What it leaves out is in docs/decisions/0054.
 */
export function openJsonClient(
  { service, target, headers: own, limits, maxAttempts, codec = plainJson }: JsonService,
  config: JsonClientConfig = {},
): JsonClient {
  const network = openPost({ ...limits, ...config.limits });
  const most = config.maxAttempts ?? maxAttempts;
  const retries = openRetries(most);
  const kept = keepCredentials(credentialsOf(config));
  const region = remembered(() => findRegion(config));
  const endpoint = remembered(() => findEndpoint(service, config));
  const used: JsonClient["config"] = {
    region,
    endpoint,
    credentials: () => kept.current(unaborted),
    post: config.post ?? network,
  };
  let clockOffsetMs = 0;
  let signer: { readonly credentials: AwsCredentials; readonly signer: SignatureV4 } | undefined;

  async function signerFor(credentials: AwsCredentials): Promise<SignatureV4> {
    if (signer?.credentials === credentials) return signer.signer;
    const made = new SignatureV4({ service, region: await region(), credentials, sha256: Sha256 });
    signer = { credentials, signer: made };
    return made;
  }

  async function attempt(
    { operation, body, about }: Sent,
    credentials: AwsCredentials,
    signal: AbortSignal,
  ): Promise<unknown> {
    const url = await endpoint();
    const request = new HttpRequest({
      method: "POST",
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port !== "" && { port: Number(url.port) }),
      path: url.pathname,
      headers: {
        ...own,
        ...about,
        ...traceHeader(),
        host: url.host,
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": `${target}.${operation}`,
        "user-agent": "ebb",
      },
      body,
    });
    const signingDate = new Date(Date.now() + clockOffsetMs);
    const { headers } = await (await signerFor(credentials)).sign(request, { signingDate });
    const answer = await used.post({ url, headers, body, signal });
    const clockSkewCorrected = followClock(answer);
    return outputOf(answer, codec, clockSkewCorrected);
  }

  /** Whether the service's clock differs from the request's. The next request is signed with the service's time. */
  function followClock({ headers }: PostAnswer): boolean {
    const at = Date.parse(String(headers["date"]));
    if (Number.isNaN(at) || Math.abs(at - Date.now() - clockOffsetMs) < skewMs) return false;
    clockOffsetMs = at - Date.now();
    return true;
  }

  async function send(command: LightCommand<object, unknown>, signal: AbortSignal): Promise<unknown> {
    const { operation, input } = command;
    const body = codec.encode(input);
    // As the SDK: no two requests are equal, so none looks like one that was replayed.
    const id = randomUUID();
    let credentials = await kept.current(signal);
    let isRenewed = false;
    for (let attempts = 1; ; attempts++) {
      try {
        const about = { "amz-sdk-invocation-id": id, "amz-sdk-request": `attempt=${attempts}; max=${most}` };
        const output = await attempt({ operation, body, about }, credentials, signal);
        retries.succeeded(attempts);
        return output;
      } catch (error) {
        const failure = sdkErrorOf(error);
        Object.assign(failure, { $metadata: { ...failure.$metadata, attempts } });
        if (expiredNames.includes(String(failure.name)) && !isRenewed) {
          isRenewed = true;
          const renewed = await kept.instead(credentials, signal);
          if (renewed === undefined) throw error;
          credentials = renewed;
        } else {
          const delayMs = retries.delayMs(error, attempts);
          if (delayMs === undefined) throw error;
          await pause(delayMs, signal);
        }
      }
    }
  }

  return {
    config: used,
    async send<Input extends object, Output>(
      command: LightCommand<Input, Output>,
      { abortSignal = unaborted }: { readonly abortSignal?: AbortSignal } = {},
    ) {
      if (abortSignal.aborted) throw abortError(abortSignal);
      try {
        return (await unlessAborted(send(command, abortSignal), abortSignal)) as Output;
      } catch (error) {
        throw abortSignal.aborted ? abortError(abortSignal) : error;
      }
    },
    destroy: () => network.close(),
  };
}

/** Lambda tells loops of functions and queues by this header. */
function traceHeader(): Readonly<Record<string, string>> {
  const trace = process.env["AWS_LAMBDA_FUNCTION_NAME"] ? process.env["_X_AMZN_TRACE_ID"] : undefined;
  return trace ? { "x-amzn-trace-id": trace } : {};
}

function remembered<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    found ??= find().catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

import { randomUUID } from "node:crypto";
import { pause, unlessAborted } from "../../async/within-time";
import { type AwsAccess, credentialsOf, findEndpoint, findRegion } from "../access";
import { type AwsCredentialProvider, type AwsCredentials, cacheCredentials } from "../credentials";
import type { LightService } from "../endpoint";
import { sdkErrorOf } from "../fault";
import { type JsonCodec, outputOf, abortError, openPost, type Post } from "./post";
import type { PostLimits } from "./connections";
import { openRetries } from "./retries";
import { openSignatures, type Signatures, type Unsigned } from "../signatures";

export interface LightCommand<Input extends object, Output> {
  readonly operation: string;
  readonly input: Input;
  /** Only reads, often with the same input. */
  readonly repeats: boolean;
  readonly output?: Output;
}

export function commandOf<Input extends object, Output>(operation: string, { repeats = false } = {}) {
  return class implements LightCommand<Input, Omit<Output, "$metadata">> {
    readonly operation = operation;
    readonly repeats = repeats;
    declare readonly output?: Omit<Output, "$metadata">;
    constructor(readonly input: Input) {}
  };
}

export interface JsonService {
  readonly service: LightService;
  /** The operation's prefix in X-Amz-Target: "AmazonSQS". */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxAttempts: number;
  readonly limits: PostLimits;
  readonly codec?: JsonCodec;
}

const plainJson: JsonCodec = { encode: JSON.stringify, decode: (text) => JSON.parse(text) as unknown };

export interface JsonClientConfig extends AwsAccess {
  readonly maxAttempts?: number;
  readonly limits?: Partial<PostLimits>;
  /** The service refused a reused signature, and accepted a new one. */
  readonly onSignatureRefused?: () => void;
  readonly post?: Post;
}

interface SendOptions {
  readonly abortSignal?: AbortSignal;
  readonly maxBytes?: number;
}

export interface JsonClient {
  readonly config: {
    readonly region: () => Promise<string>;
    readonly endpoint: () => Promise<URL>;
    readonly credentials: AwsCredentialProvider;
    post: Post;
  };
  /** Rejects like the SDK's client, with the name, $fault and $metadata that lib/aws/fault.ts reads. */
  send: <Input extends object, Output>(command: LightCommand<Input, Output>, options?: SendOptions) => Promise<Output>;
  destroy(): void;
}

interface Bounds {
  readonly signal: AbortSignal;
  readonly maxBytes: number | undefined;
}

const unaborted = new AbortController().signal;
const expiredNames = ["ExpiredToken", "ExpiredTokenException"];
/** With status 400 or 403, by service. A 403 with another name may come from a proxy. */
const refusedNames = ["SignatureDoesNotMatch", "IncompleteSignature", "IncompleteSignatureException"];

/** Signs, sends, retries and reads like the SDK's client, at a fifth of its CPU time: docs/decisions/0054. */
export function openJsonClient(
  { service, target: targets, headers: own, limits, maxAttempts, codec = plainJson }: JsonService,
  config: JsonClientConfig = {},
): JsonClient {
  const network = openPost({ ...limits, ...config.limits });
  const most = config.maxAttempts ?? maxAttempts;
  const retries = openRetries(most);
  const cached = cacheCredentials(credentialsOf(config));
  const region = remembered(() => findRegion(config));
  const endpoint = remembered(() => findEndpoint(service, config));
  const about = { ...own, "content-type": "application/x-amz-json-1.0", "user-agent": "ebb" };
  const used: JsonClient["config"] = {
    region,
    endpoint,
    credentials: () => cached.current(unaborted),
    post: config.post ?? network,
  };
  const isOnLambda = Boolean(process.env["AWS_LAMBDA_FUNCTION_NAME"]);
  let scope: { readonly url: URL; readonly signatures: Signatures } | undefined;

  async function findScope() {
    const url = await endpoint();
    scope = { url, signatures: openSignatures(service, { url, region: await region() }) };
    return scope;
  }

  /**
   * AWS does not promise to accept a signature twice. If a new one is accepted in place of a refused one, none is
   * reused any more.
   */
  async function attempt(
    request: Unsigned,
    credentials: AwsCredentials,
    { signal, maxBytes }: Bounds,
  ): Promise<unknown> {
    const { url, signatures } = scope ?? (await unlessAborted(findScope(), signal));

    async function once(): Promise<
      { readonly output: unknown } | { readonly error: unknown; readonly again: boolean }
    > {
      let again = false;
      try {
        const signed = await signatures.sign(request, credentials);
        again = signed.isReused;
        const headers = isOnLambda ? { ...signed.headers, ...traceHeader() } : signed.headers;
        const answer = await used.post({ url, headers, body: request.body, signal, maxBytes });
        const clockSkewCorrected = signatures.followClock(answer.headers["date"]);
        return { output: outputOf(answer, codec, clockSkewCorrected) };
      } catch (error) {
        signatures.forget(request);
        return { error, again: again && mayBeOfSignature(error) };
      }
    }

    const first = await once();
    if ("output" in first) return first.output;
    if (!first.again) throw first.error;
    const second = await once();
    if ("error" in second) throw second.error;
    signatures.stopReusing();
    config.onSignatureRefused?.();
    return second.output;
  }

  async function send({ operation, input, repeats }: LightCommand<object, unknown>, bounds: Bounds): Promise<unknown> {
    const { signal } = bounds;
    const body = codec.encode(input);
    const target = { ...about, "x-amz-target": `${targets}.${operation}` };
    // Like the SDK, no two requests are equal, unless they may be.
    const id = repeats ? undefined : randomUUID();
    let credentials = await cached.current(signal);
    let isRenewed = false;
    for (let attempts = 1; ; attempts++) {
      try {
        const number = { "amz-sdk-invocation-id": id, "amz-sdk-request": `attempt=${attempts}; max=${most}` };
        const headers = id === undefined ? target : { ...target, ...number };
        const output = await attempt({ headers, body, repeats }, credentials, bounds);
        retries.succeeded(attempts);
        return output;
      } catch (error) {
        const failure = sdkErrorOf(error);
        Object.assign(failure, { $metadata: { ...failure.$metadata, attempts } });
        if (expiredNames.includes(String(failure.name)) && !isRenewed) {
          isRenewed = true;
          const renewed = await cached.instead(credentials, signal);
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
      { abortSignal = unaborted, maxBytes }: SendOptions = {},
    ) {
      if (abortSignal.aborted) throw abortError(abortSignal);
      try {
        return (await send(command, { signal: abortSignal, maxBytes })) as Output;
      } catch (error) {
        throw abortSignal.aborted ? abortError(abortSignal) : error;
      }
    },
    destroy: () => network.close(),
  };
}

function mayBeOfSignature(error: unknown): boolean {
  const { name, $metadata } = sdkErrorOf(error);
  return $metadata?.httpStatusCode === 403 || refusedNames.includes(String(name));
}

/** Lambda detects loops of functions and queues by this header. */
function traceHeader(): Readonly<Record<string, string>> {
  const trace = process.env["_X_AMZN_TRACE_ID"];
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

import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import { abortReason, onAbort, OutOfTime } from "../async/within-time";
import type { FaultKind } from "../model/fault";
import type { MemoryShare } from "./memory";
import { readBody, type BodyReading } from "./read-body";

export interface Limits {
  readonly connectMs: number;
  readonly idleMs: number;
  readonly maxBytes: number;
}

export interface Call {
  readonly url: URL;
  readonly path: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent: http.Agent;
  readonly limits: Limits;
  readonly memory: MemoryShare;
  readonly trim?: BodyReading["trim"];
  /** A list's objects are in use until this fires. */
  readonly until: AbortSignal;
  /** Checked right before the request is sent: the process may have been stopped while it connected. */
  readonly mayStart?: () => boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** A trimmed list has {} in place of each object. */
  readonly body: Buffer;
  readonly objects?: readonly unknown[];
}

/** `sent`: the server may have acted on the request. */
export interface NoAnswer {
  readonly failure: "reset" | "unreachable" | "timeout" | "aborted" | "tooLarge" | "malformed";
  readonly sent: boolean;
  readonly detail: string;
  readonly cause?: unknown;
}

export const faultKinds: Readonly<Record<NoAnswer["failure"], FaultKind>> = {
  reset: "unreachable",
  unreachable: "unreachable",
  timeout: "timeout",
  aborted: "timeout",
  tooLarge: "badAnswer",
  malformed: "badAnswer",
};

export const resetCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED"]);

/** Never rejects. Settles when `signal` fires or a limit is exceeded. */
export function exchange(call: Call, signal: AbortSignal): Promise<Answer | NoAnswer> {
  if (signal.aborted) return Promise.resolve(abandoned(signal, false));
  return new Promise((resolve) => {
    let sent = false;
    let timer: NodeJS.Timeout | undefined;
    let isComplete = false;
    let stopReading = () => {};
    const request = start(call);
    const hold = call.memory.hold((why) => fail("tooLarge", why));

    const settle = (outcome: Answer | NoAnswer) => {
      clearTimeout(timer);
      unlisten();
      hold.end();
      if (!isComplete) {
        stopReading();
        request.destroy();
      }
      resolve(outcome);
    };
    const fail = (failure: NoAnswer["failure"], detail: string, cause?: unknown) =>
      settle({ failure, sent, detail, cause });
    const limit = (ms: number, what: string) => {
      clearTimeout(timer);
      timer = setTimeout(() => fail("timeout", `${what} for ${ms / 1000} s`), ms);
    };
    const unlisten = onAbort(signal, () => settle(abandoned(signal, sent)));

    request.on("socket", (socket: Socket) => {
      const connected = () => {
        if (call.mayStart?.() === false) return fail("aborted", "it is too late to send it");
        clearTimeout(timer);
        sent = true;
        request.end(call.body);
      };
      if (!socket.connecting) return connected();
      limit(call.limits.connectMs, "no connection");
      socket.once(call.url.protocol === "https:" ? "secureConnect" : "connect", connected);
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const reset = sent && resetCodes.has(error.code ?? "");
      fail(reset ? "reset" : "unreachable", explain(error), error);
    });
    request.on("response", (response) => {
      limit(call.limits.idleMs, "the answer stalled");
      response.on("data", () => timer?.refresh());
      response.on("error", (error) => fail("reset", `the connection broke within the answer: ${error.message}`, error));
      stopReading = readBody(response, { maxBytes: call.limits.maxBytes, hold, trim: call.trim }, (read) => {
        if ("failure" in read) return fail(read.failure, read.detail, read.cause);
        const { kept, ...body } = read;
        isComplete = response.complete;
        hold.end(kept, call.until);
        settle({ status: response.statusCode ?? 0, headers: response.headers, ...body });
      });
      response.on("close", () => {
        if (!response.complete) fail("reset", "the connection broke within the answer");
      });
    });
  });
}

function start({ url, path, method, headers, agent }: Call): http.ClientRequest {
  const hostname = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  const options = { hostname, port: url.port, path, method, headers, agent };
  return url.protocol === "https:" ? https.request(options) : http.request(options);
}

function abandoned(signal: AbortSignal, sent: boolean): NoAnswer {
  const reason = abortReason(signal);
  return { failure: reason instanceof OutOfTime ? "timeout" : "aborted", sent, detail: reason.message, cause: reason };
}

const UNKNOWN_SIGNERS = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE", // a CA with the same name but another key
]);

/** By the code: OpenSSL's message begins with an id that changes. Undefined: another error. */
function tlsProblem(code: string): string | undefined {
  const [, alert, other] = /^ERR_SSL_(?:(?:TLSV1\d?|SSLV3|SSL\/TLS)_ALERT_(\w+)|(\w+))$/.exec(code) ?? [];
  if (other === "WRONG_VERSION_NUMBER") return "the server does not speak TLS at this port";
  if (other !== undefined) return `TLS failed: ${wordsOf(other)}`;
  if (alert === undefined) return undefined;
  const isOfClient = /CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE/.test(alert);
  const todo = isOfClient ? "; if it asks for a client's certificate, the secret needs one that it accepts" : "";
  return `the server ended the TLS handshake: ${wordsOf(alert)}${todo}`;
}

function wordsOf(code: string): string {
  return code.toLowerCase().replaceAll("_", " ");
}

export function explain(error: NodeJS.ErrnoException): string {
  if (UNKNOWN_SIGNERS.has(error.code ?? ""))
    return `its certificate is not signed by a trusted CA (${error.message}); set certificateAuthorityData to its CA`;
  if (error.code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `its certificate is for another name (${error.message}); set tlsServerName to the name on the certificate`;
  const ofTls = tlsProblem(error.code ?? "");
  if (ofTls !== undefined) return ofTls;
  if (error.code === "HPE_INVALID_CONSTANT") return "the server does not speak HTTP at this port, or only with TLS";
  if (error.code === "ECONNREFUSED") return "connection refused";
  if (error.code === "ENOTFOUND") return "no such host";
  return error.message === "" ? (error.code ?? "the connection failed") : error.message;
}

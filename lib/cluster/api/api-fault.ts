import { parseMap } from "../../k8s/map";
import { Fault } from "../../model/fault";
import { type Answer, faultKinds, type NoAnswer } from "../../net/exchange";

export interface Subject {
  readonly verb: "get" | "list" | "update" | "create" | "patch";
  /** "" is the core group. */
  readonly group: string;
  /** Absent: the request is about the path itself (discovery). */
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly path: string;
}

/** Keeps the API server's own words (Status.message). */
export function faultOfStatus(answer: Answer, subject: Subject, origin: string): Fault {
  const { status } = answer;
  const message = statusMessage(answer) ?? genericMessage(answer, subject);
  const options = { status };
  switch (status) {
    case 401:
      return new Fault("unauthorized", message, options);
    case 403:
      return new Fault("forbidden", message, options);
    case 404:
      return new Fault("notFound", message, options);
    case 409:
      return new Fault("conflict", message, options);
    case 429:
      return new Fault("throttled", message, options);
    case 502:
    case 503:
    case 504:
      // A gateway or the API server's storage gave up: the write may be done.
      return new Fault(isWrite(subject) && status !== 503 ? "lost" : "unreachable", message, options);
    default:
      return new Fault(
        "badAnswer",
        status >= 300 && status < 400 ? redirected(answer, subject, origin) : message,
        options,
      );
  }
}

/** A write that may have arrived is "lost". */
export function faultOfNoAnswer(outcome: NoAnswer, subject: Subject, origin: string): Fault {
  const { failure, detail, cause } = outcome;
  const about = `${origin}: ${detail} (${describe(subject)})`;
  if (isWrite(subject) && outcome.sent)
    return new Fault("lost", `${about}; whether it was done is not known`, { cause });
  return new Fault(faultKinds[failure], about, { cause });
}

function isWrite({ verb }: Subject): boolean {
  return verb === "update" || verb === "create" || verb === "patch";
}

export function notAnAnswer(answer: Answer, subject: Subject, expected: string): Fault {
  return new Fault("badAnswer", `expected ${expected}, got ${outline(answer)} (${describe(subject)})`, {
    status: answer.status,
  });
}

export function describe({ verb, group, resource, subresource, namespace, name, path }: Subject): string {
  if (resource === undefined) return `${verb} ${path}`;
  const what = `${resource}${group === "" ? "" : `.${group}`}${subresource === undefined ? "" : `/${subresource}`}`;
  return `${verb} ${what}${name === undefined ? "" : ` ${name}`}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
}

export function isStatus(answer: Answer): boolean {
  return statusOf(answer) !== undefined;
}

function statusMessage(answer: Answer): string | undefined {
  const message = statusOf(answer)?.["message"];
  return typeof message === "string" && message !== "" ? bounded(message) : undefined;
}

function statusOf({ body }: Answer): ReturnType<typeof parseMap> {
  const object = parseMap(body.toString("utf8"));
  return object?.["kind"] === "Status" ? object : undefined;
}

const GENERIC: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/**
 * The text of upstream's client (apimachinery, NewGenericServerResponse), which people search for: "the server could
 * not find the requested resource (get pods.metrics.k8s.io)".
 */
function genericMessage(answer: Answer, subject: Subject): string {
  const { status } = answer;
  if (status === 403) return forbidden(answer, subject);
  const text =
    status >= 500 ? `an error on the server (${outline(answer)}) has prevented the request from succeeding` : undefined;
  const general = text ?? `the server responded with the status code ${status} but did not return more information`;
  return `${GENERIC[status] ?? general}${upstreamSubject(subject)}`;
}

/** Upstream's scale client does not know the group, so its text has none. */
function upstreamSubject({ verb, group, resource, subresource, name }: Subject): string {
  if (resource === undefined) return "";
  const qualified = group === "" || subresource === "scale" ? resource : `${resource}.${group}`;
  const method = verb === "update" ? "put" : verb === "create" ? "post" : verb === "patch" ? "patch" : "get";
  return ` (${method} ${qualified}${name === undefined ? "" : ` ${name}`})`;
}

/** A proxy's 403 does not name the missing permission. This does, in the API server's form. */
function forbidden(answer: Answer, { verb, group, resource, subresource, namespace, name, path }: Subject): string {
  if (resource === undefined) return `forbidden: cannot ${verb} path ${JSON.stringify(path)}: ${outline(answer)}`;
  const object = `${resource}${group === "" ? "" : `.${group}`}${name === undefined ? "" : ` ${JSON.stringify(name)}`}`;
  const right = JSON.stringify(subresource === undefined ? resource : `${resource}/${subresource}`);
  const where = namespace === undefined ? "" : ` in the namespace ${JSON.stringify(namespace)}`;
  return `${object} is forbidden: cannot ${verb} resource ${right} in API group ${JSON.stringify(group)}${where}: ${outline(answer)}`;
}

function redirected({ status, headers }: Answer, subject: Subject, origin: string): string {
  const { location } = headers;
  const host = location !== undefined && URL.canParse(location, origin) ? new URL(location, origin).origin : "nowhere";
  return `${origin}: expected the API server's answer, got a redirection (${status}) to ${host} (${describe(subject)})`;
}

const MESSAGE_CHARACTERS = 2_000;

function bounded(message: string): string {
  return message.length > MESSAGE_CHARACTERS ? `${message.slice(0, MESSAGE_CHARACTERS)}…` : message;
}

/** The body may repeat the credential. */
function outline({ status, headers, body }: Answer): string {
  const [type] = /^[\w.+-]+\/[\w.+-]+/.exec(headers["content-type"] ?? "") ?? ["no content type"];
  return `status ${status}, ${type.slice(0, 80)}, ${body.length === 0 ? "empty" : `${body.length} bytes`}`;
}

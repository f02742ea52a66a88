import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { TLSSocket } from "node:tls";
import type { Clock } from "../../../clock";
import { isSame } from "../../../../lib/secrets/same-secret";
import { strangeness } from "../../../guard/guarded";
import { anonymous, authorize, authorizePath, type User } from "./access";
import { acceptedBy } from "./accept";
import type { Api } from "../operations/api";
import type { Authority } from "../certificates";
import {
  aggregated,
  aggregatedForms,
  aggregatedMediaType,
  apiGroupList,
  apiVersionList,
  groupDiscovery,
  type ServedGroup,
  servedGroups,
} from "./discovery";
import type { MetricsApi } from "../metrics-api";
import type { Registry } from "../resources/registry";
import { sendAnswer, sendFailure, sendJson, sendText, sendUnknownPath } from "./answers";
import { readRequestBody } from "./bodies";
import { parseResourcePath, type RequestTarget, requestTargetOf } from "./requests";
import { reviewAt } from "./reviews";
import { createResourceHandler } from "./resource-handler";
import { builtIn } from "../resources/kinds";
import { methodNotAllowed, StatusError, unauthorized, unknownResource } from "../resources/status";
import type { ObjectStore } from "../resources/store";
import { openApiDocument, openApiIndex, openApiV2 } from "../schemas/openapi";
import { recorded } from "../schemas/schemas";

interface ApiServerParts {
  readonly api: Api;
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly metrics: MetricsApi;
  readonly clock: Clock;
  readonly users: readonly User[];
  readonly authority: Authority;
  /** Sees every request first. True: it answers the request itself, say slowly. */
  readonly intercept?: Intercept;
}

export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Call {
  readonly user: User;
  readonly target: RequestTarget;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const version = {
  ...{ major: "1", minor: "37", gitVersion: "v1.37.2", gitCommit: "", gitTreeState: "clean", buildDate: "" },
  ...{ goVersion: "go1.26", compiler: "gc", platform: "linux/amd64" },
};

/** Does not listen yet. */
export async function createApiServer(parts: ApiServerParts): Promise<Server> {
  const { registry, metrics } = parts;
  const handleResource = createResourceHandler(parts);
  const groups = (): ServedGroup[] => [...servedGroups(registry.all()), ...metrics.groups()];

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = requestTargetOf(request);
    const call = { user: identify(request, parts.users), target, request, response };
    const info = parseResourcePath(request.method ?? "GET", target);
    if (info === undefined) return handlePath(call, groups(), registry);

    const review = call.user === anonymous ? undefined : reviewAt(info);
    if (review !== undefined) {
      const accepted = acceptedBy(request);
      return sendAnswer(call, accepted, review(call.user, (await readRequestBody(request)).value), 201);
    }
    authorize(call.user, { ...info, subject: info });
    if (metrics.groups().some(({ name }) => name === info.group)) return metrics.handle(request, response);
    const resource = registry.find(info.group, info.version, info.plural);
    if (resource === undefined) {
      if (isBuiltInGroup(info.group)) throw unknownResource();
      return sendUnknownPath(response);
    }
    return handleResource({ info, resource, query: target.query, request, response });
  };

  const { certificate, key } = await parts.authority.issueServer();
  const tls = { cert: certificate, key, ca: parts.authority.certificate, requestCert: true, rejectUnauthorized: false };
  return createServer(tls, (request, response) => {
    const strange = strangeness(request);
    if (strange !== undefined) return sendFailure(request, response, new StatusError(403, "Forbidden", strange));
    if (parts.intercept?.(request, response) === true) return;
    handle(request, response).catch((error: unknown) => sendFailure(request, response, error));
  });
}

/** @throws 401 for an unknown token; anonymous without credentials. */
function identify(request: IncomingMessage, users: readonly User[]): User {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (token !== undefined) {
    const user = users.find((each) => isSame(token, each.token));
    if (user === undefined) throw unauthorized();
    return user;
  }
  if (request.headers.authorization !== undefined) throw unauthorized();
  const socket = request.socket as TLSSocket;
  if (!socket.authorized) return anonymous;
  const { CN } = socket.getPeerCertificate().subject;
  const name = String(CN);
  return users.find((each) => each.name === name) ?? { name, token: "", rules: [] };
}

async function handlePath({ user, target, request, response }: Call, groups: ServedGroup[], registry: Registry) {
  const path = target.path.replace(/\/$/, "");
  authorizePath(user, (request.method ?? "GET").toLowerCase(), path);
  const isProbe = ["/livez", "/readyz", "/healthz"].includes(path);
  const document = path.startsWith("/openapi/") ? await openApi(path, registry) : discovery(path, request, groups);
  if (document === undefined && !isProbe) {
    if (isBuiltInGroup(/^\/apis\/([^/]+)\//.exec(path)?.[1])) throw unknownResource();
    return sendUnknownPath(response);
  }
  if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET", "HEAD"]);
  if (isProbe) return sendText(response, "ok");
  if (isAggregated(document)) response.setHeader("content-type", aggregatedMediaType);
  sendJson(request, response, document);
}

async function openApi(path: string, registry: Registry): Promise<unknown> {
  if (path === "/openapi/v2") return openApiV2();
  if (path === "/openapi/v3") return openApiIndex(registry.all());
  if (!path.startsWith("/openapi/v3/")) return undefined;
  return openApiDocument((await recorded()).schemas, registry.all(), path.slice("/openapi/v3/".length));
}

const isBuiltInGroup = (name: string | undefined): boolean => builtIn.some(({ group }) => group === name);

const isAggregated = (document: unknown): boolean =>
  typeof document === "object" && document !== null && "kind" in document && document.kind === "APIGroupDiscoveryList";

function discovery(path: string, request: IncomingMessage, groups: readonly ServedGroup[]): unknown {
  const wantsAggregated = acceptedBy(request, aggregatedForms).as !== undefined;
  const [root, ...rest] = path.split("/").filter((part) => part !== "");
  if (root === "version" && rest.length === 0) return version;
  if (root === "api" && rest.length === 0) {
    return wantsAggregated
      ? aggregated(groups.filter(({ name }) => name === ""))
      : apiVersionList(request.headers.host ?? "localhost");
  }
  if (root === "apis" && rest.length === 0) {
    return wantsAggregated ? aggregated(groups.filter(({ name }) => name !== "")) : apiGroupList(groups);
  }
  const [name, groupVersion, ...more] = root === "api" ? ["", ...rest] : root === "apis" ? rest : [];
  return more.length === 0 ? groupDiscovery(groups, name, groupVersion) : undefined;
}

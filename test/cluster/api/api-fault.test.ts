import {
  describe as subjectText,
  faultOfNoAnswer,
  faultOfStatus,
  notAnAnswer,
  type Subject,
} from "../../../lib/cluster/api/api-fault";
import type { Answer } from "../../../lib/net/exchange";

const origin = "https://prod.example:6443";
const scale: Subject = {
  ...{ verb: "get", group: "apps", resource: "deployments", subresource: "scale", namespace: "shop", name: "web" },
  path: "/s",
};
const pods: Subject = { verb: "list", group: "", resource: "pods", path: "/api/v1/pods" };
const discovery: Subject = { verb: "get", group: "", path: "/apis" };
const answer = (status: number, body = "", headers: Answer["headers"] = {}): Answer => ({
  ...{ status, headers, body: Buffer.from(body) },
});
const saying = (message: unknown, kind = "Status") => JSON.stringify({ kind, message });

test.each<[Subject, string]>([
  [scale, "get deployments.apps/scale web in namespace shop"],
  [pods, "list pods"],
  [discovery, "get /apis"],
  [{ ...pods, verb: "create", namespace: "a" }, "create pods in namespace a"],
])("a request is named as RBAC names it: %j", (subject, expected) => {
  expect(subjectText(subject)).toBe(expected);
});

test.each<[number, Subject["verb"], string]>([
  [400, "get", "badAnswer"],
  [401, "get", "unauthorized"],
  [403, "get", "forbidden"],
  [404, "get", "notFound"],
  [409, "update", "conflict"],
  [422, "update", "badAnswer"],
  [429, "get", "throttled"],
  [500, "update", "badAnswer"],
  [502, "get", "unreachable"],
  [503, "get", "unreachable"],
  [504, "list", "unreachable"],
  [502, "update", "lost"],
  [503, "update", "unreachable"],
  [504, "create", "lost"],
  [504, "patch", "lost"],
  [299, "get", "badAnswer"],
  [400, "list", "badAnswer"],
])("status %i of a %s is %s, in the server's own words", (status, verb, kind) => {
  const fault = faultOfStatus(answer(status, saying("its own words")), { ...scale, verb }, origin);
  expect(fault).toMatchObject({ kind, status, message: "its own words" });
});

describe("an answer without a Status", () => {
  const message = (status: number, subject: Subject, given: Partial<Answer> = {}) =>
    faultOfStatus({ ...answer(status), ...given }, subject, origin).message;
  const found = "the server could not find the requested resource";

  test.each<[Subject, string]>([
    [scale, "get deployments web"],
    [{ ...scale, verb: "update" }, "put deployments web"],
    [{ ...scale, verb: "create" }, "post deployments web"],
    [{ ...scale, verb: "patch" }, "patch deployments web"],
    [{ ...pods, group: "metrics.k8s.io" }, "get pods.metrics.k8s.io"],
    [pods, "get pods"],
  ])("has upstream's text: %j", (subject, expected) => {
    expect(message(404, subject)).toBe(`${found} (${expected})`);
  });

  test.each<[number, string]>([
    [400, "the server rejected our request for an unknown reason"],
    [401, "the server has asked for the client to provide credentials"],
    [404, found],
    [405, "the server does not allow this method on the requested resource"],
    [409, "the server reported a conflict"],
    [422, "the server rejected our request due to an error in our request"],
    [429, "the server has received too many requests and has asked us to try again later"],
    [503, "the server is currently unable to handle the request"],
    [504, "the server was unable to return a response in the time allotted, but may still be processing the request"],
    [500, "an error on the server (status 500, no content type, empty) has prevented the request from succeeding"],
    [499, "the server responded with the status code 499 but did not return more information"],
  ])("of status %i", (status, expected) => {
    expect(message(status, discovery)).toBe(expected);
  });

  test.each<[Subject, string]>([
    [discovery, 'forbidden: cannot get path "/apis": status 403, no content type, empty'],
    [
      scale,
      'deployments.apps "web" is forbidden: cannot get resource "deployments/scale" in API group "apps" in the namespace "shop": status 403, no content type, empty',
    ],
    [pods, 'pods is forbidden: cannot list resource "pods" in API group "": status 403, no content type, empty'],
  ])("that refuses says which right is missing: %j", (subject, expected) => {
    expect(message(403, subject)).toBe(expected);
  });

  test.each<[string | undefined, string]>([
    ["https://login.example/in?to=secret", "https://login.example"],
    ["/login", origin],
    [undefined, "nowhere"],
    ["https://", "nowhere"],
  ])("that redirects to %s names the host alone", (location, host) => {
    const headers = location === undefined ? {} : { location };
    for (const status of [300, 399])
      expect(message(status, pods, { headers })).toBe(
        `${origin}: expected the API server's answer, got a redirection (${status}) to ${host} (list pods)`,
      );
  });

  test.each<[string]>([["{"], ["null"], ["1"], [saying(1)], [saying("")], [saying("x", "Pod")]])(
    "has no words of its own in %s",
    (body) => {
      expect(message(409, discovery, { body: Buffer.from(body) })).toBe("the server reported a conflict");
    },
  );
});

test("a long message is cut, one of 2,000 characters is not", () => {
  const message = (length: number) => faultOfStatus(answer(400, saying("x".repeat(length))), pods, origin).message;
  expect([message(2_000), message(2_001)]).toEqual(["x".repeat(2_000), `${"x".repeat(2_000)}…`]);
});

test.each<[string, Answer, string]>([
  ["a page", answer(200, "<html>", { "content-type": "text/html; charset=utf-8" }), "status 200, text/html, 6 bytes"],
  ["nothing", answer(200), "status 200, no content type, empty"],
  [
    "a hostile type",
    answer(200, "x", { "content-type": "\u001b[2Jtext/html" }),
    "status 200, no content type, 1 bytes",
  ],
  [
    "a type that goes on",
    answer(200, "x", { "content-type": `a/${"b".repeat(90)}` }),
    `status 200, a/${"b".repeat(78)}, 1 bytes`,
  ],
  [
    "a type with signs",
    answer(200, "x", { "content-type": "application/vnd.a+json" }),
    "status 200, application/vnd.a+json, 1 bytes",
  ],
])("%s in place of an answer is outlined, not shown", (_what, given, outline) => {
  expect(notAnAnswer(given, pods, "a list")).toMatchObject({
    ...{ kind: "badAnswer", status: 200 },
    message: `expected a list, got ${outline} (list pods)`,
  });
});

test.each<[Subject["verb"], boolean, string, string]>([
  ["get", true, "unreachable", "broken (get deployments.apps/scale web in namespace shop)"],
  ["update", false, "unreachable", "broken (update deployments.apps/scale web in namespace shop)"],
  ...(["update", "create", "patch"] as const).map((verb): [Subject["verb"], boolean, string, string] => [
    ...([verb, true, "lost"] as const),
    `broken (${verb} deployments.apps/scale web in namespace shop); whether it was done is not known`,
  ]),
])("no answer to a %s that was sent (%s) is %s", (verb, sent, kind, message) => {
  const fault = faultOfNoAnswer({ failure: "reset", sent, detail: "broken", cause: "c" }, { ...scale, verb }, origin);
  expect(fault).toMatchObject({ kind, message: `${origin}: ${message}`, cause: "c" });
});

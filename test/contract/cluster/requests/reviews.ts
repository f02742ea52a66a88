import { asking, emptyBody, type Served } from "./object-requests";

/** Reviews of the client's own rights. */
export function reviewsContract(served: () => Served): void {
  const { send, said } = asking(served, "reviews");

  describe("reviews of the client's own rights", () => {
    const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview" };

    test("are only created", async () => {
      for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const answer = said(await send(method, reviews, emptyBody(method)));
        expect(answer).toMatchObject({ status: 405, reason: "MethodNotAllowed" });
      }
    });

    test("need something to review", async () => {
      const message =
        '.authorization.k8s.io "" is invalid: spec: Invalid value: null: ' +
        "exactly one of nonResourceAttributes or resourceAttributes must be specified";
      expect(said(await send("POST", reviews, review))).toEqual({ status: 422, reason: "Invalid", message });
    });

    test("answer for a resource, for a namespace, and who asks", async () => {
      const resourceAttributes = { verb: "delete", group: "apps", resource: "deployments", namespace: "default" };
      const access = await send("POST", reviews, { ...review, spec: { resourceAttributes } });
      expect([access.status, access.body]).toMatchObject([201, { status: { allowed: true } }]);
      const rules = await send("POST", reviews.replace("access", "rules"), {
        ...review,
        kind: "SelfSubjectRulesReview",
        spec: { namespace: "default" },
      });
      const every = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
      expect((rules.body as { status: { resourceRules: unknown[] } }).status.resourceRules).toContainEqual(every);
      const whoami = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
      const self = await send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", whoami);
      expect([self.status, self.body]).toMatchObject([201, { status: { userInfo: { username: "admin" } } }]);
    });
  });
}

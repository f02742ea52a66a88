import { deployment } from "../../../cluster/contract-objects";
import { asking, nameIn, type Served } from "./object-requests";

/** Options of writes: a dry run, a deletion, a patch. */
export function optionsContract(served: () => Served): void {
  const { place, send, create, said, isThere } = asking(served, "options");

  describe("a dry run", () => {
    const dryRun = "?dryRun=All";

    test("answers as the write would, and writes nothing", async () => {
      const path = await create();
      const name = nameIn(path);
      const before = (await send("GET", path)).body;
      expect((await send("DELETE", path + dryRun)).status).toBe(200);
      expect((await send("DELETE", path, { dryRun: ["All"] })).status).toBe(200);
      expect((await send("DELETE", place() + dryRun)).status).toBe(200);
      expect((await send("PATCH", path + dryRun, { spec: { replicas: 7 } })).body).toMatchObject({
        spec: { replicas: 7 },
      });
      expect((await send("PUT", path + dryRun, deployment.object(name, 8))).body).toMatchObject({
        spec: { replicas: 8 },
      });
      expect((await send("PATCH", `${path}/scale${dryRun}`, { spec: { replicas: 9 } })).status).toBe(200);
      expect((await send("POST", place() + dryRun, deployment.object("never", 1))).status).toBe(201);
      expect((await send("GET", path)).body).toEqual(before);
      expect(await isThere(`${place()}/never`)).toBe(false);
    });

    const unsupported = (kind: string, value: string) => ({
      ...{ status: 422, reason: "Invalid" },
      message: `${kind}.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["${value}"]: supported values: "All"`,
    });

    test.each(["Some", "true", ""])("of another value is refused, and nothing is written: %j", async (value) => {
      const path = await create();
      const before = (await send("GET", path)).body;
      const query = `?dryRun=${value}`;
      expect(said(await send("DELETE", path + query))).toEqual(unsupported("DeleteOptions", value));
      expect(said(await send("DELETE", place() + query))).toEqual(unsupported("DeleteOptions", value));
      expect(said(await send("PATCH", path + query, { spec: { replicas: 7 } }))).toEqual(
        unsupported("PatchOptions", value),
      );
      expect(said(await send("PUT", path + query, before))).toEqual(unsupported("UpdateOptions", value));
      const created = await send("POST", place() + query, deployment.object("never", 1));
      expect(said(created)).toEqual(unsupported("CreateOptions", value));
      expect((await send("GET", path)).body).toEqual(before);
      expect(await isThere(`${place()}/never`)).toBe(false);
    });
  });

  describe("a DELETE", () => {
    test("has its preconditions, for a whole collection too", async () => {
      const path = await create();
      const refusal = /^Operation cannot be fulfilled on Deployment\.apps ".*": the UID in the precondition \(other\)/;
      for (const at of [path, place()]) {
        const answer = said(await send("DELETE", at, { preconditions: { uid: "other" } }));
        expect(answer).toMatchObject({ status: 409, reason: "Conflict" });
        expect(answer.message).toMatch(refusal);
      }
      expect((await send("DELETE", path, { preconditions: { resourceVersion: "1" } })).status).toBe(409);
      expect(await isThere(path)).toBe(true);
    });

    test.each([
      ["no JSON", { body: "{not json" }, [400, "BadRequest"]],
      ["a list", { body: [] }, [400, "BadRequest"]],
      ["another kind", { body: { apiVersion: "v1", kind: "Pod" } }, [400, "BadRequest"]],
      ["a foreign media type", { body: "text", type: "text/plain" }, [415, "UnsupportedMediaType"]],
      ["no number", { query: "?gracePeriodSeconds=abc" }, [400, "BadRequest"]],
      ["an unknown policy", { query: "?propagationPolicy=Nonsense" }, [422, "Invalid"]],
      ["two policies", { body: { orphanDependents: true, propagationPolicy: "Orphan" } }, [422, "Invalid"]],
    ])("with options that cannot be read deletes nothing: %s", async (_case, sent, [status, reason]) => {
      const { query = "", body, type = "application/json" } = sent as { query?: string; body?: unknown; type?: string };
      const headers = { "content-type": type };
      const path = await create();
      expect(said(await send("DELETE", path + query, body, headers))).toMatchObject({ status, reason });
      expect(said(await send("DELETE", place() + query, body, headers))).toMatchObject({ status, reason });
      expect(await isThere(path)).toBe(true);
    });
  });

  describe("a PATCH", () => {
    test.each([
      ["an unknown type", "application/x-patch", "415: Unsupported Media Type"],
      ["no patch at all", "application/json", "415: Unsupported Media Type"],
      ["a type in upper case", "Application/Merge-Patch+JSON", "415: Unsupported Media Type"],
    ])("of %s changes nothing", async (_case, type, message) => {
      const path = await create();
      const answer = await send("PATCH", path, { spec: { replicas: 7 } }, { "content-type": type });
      expect(said(answer)).toEqual({ status: 415, reason: "UnsupportedMediaType", message });
      expect((await send("GET", path)).body).toMatchObject({ spec: { replicas: 1 } });
    });

    test.each([
      ["force=true", "force: Forbidden: may not be specified for non-apply patch"],
      ["fieldManager=" + "x".repeat(129), "fieldManager: Too long: may not be more than 128 bytes"],
      [
        "fieldValidation=Odd",
        'fieldValidation: Unsupported value: "Odd": supported values: "", "Ignore", "Strict", "Warn"',
      ],
    ])("with %s is refused", async (query, because) => {
      const path = await create();
      const message = `PatchOptions.meta.k8s.io "" is invalid: ${because}`;
      expect(said(await send("PATCH", `${path}?${query}`, {}))).toEqual({ status: 422, reason: "Invalid", message });
    });
  });
}

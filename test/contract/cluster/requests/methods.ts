import { worker } from "../../../cluster/contract-objects";
import { asking, emptyBody, nameIn, type Served } from "./object-requests";

/** Methods that a path does not have. */
export function methodsContract(served: () => Served): void {
  const { place, send, create, said, isThere } = asking(served, "methods");

  describe("a method that a path does not have", () => {
    const notAllowed = {
      status: 405,
      reason: "MethodNotAllowed",
      message: "the server does not allow this method on the requested resource",
    };
    const others = ["OPTIONS", "TRACE", "PROPFIND", "LINK"];

    test.each([
      ["the collection", "", ["PUT", "PATCH", ...others]],
      ["an object", "/NAME", ["POST", ...others]],
      ["a scale", "/NAME/scale", ["POST", "DELETE", ...others]],
      ["a status", "/NAME/status", ["POST", "DELETE", ...others]],
    ])("is refused for %s, and nothing happens", async (_case, suffix, methods) => {
      const path = await create();
      const name = nameIn(path);
      for (const method of methods) {
        const answer = await send(method, place() + suffix.replace("NAME", name), emptyBody(method));
        expect({ method, ...said(answer) }).toEqual({ method, ...notAllowed });
      }
      expect(await isThere(path)).toBe(true);
    });

    test("is refused for the collection across all namespaces", async () => {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", ...others]) {
        const answer = await send(method, "/apis/apps/v1/deployments", emptyBody(method));
        expect({ method, ...said(answer) }).toEqual({ method, ...notAllowed });
      }
    });

    test("is refused for namespaces, which are deleted one by one", async () => {
      for (const method of ["PUT", "PATCH", "DELETE", ...others]) {
        const answer = await send(method, "/api/v1/namespaces", emptyBody(method));
        expect({ method, ...said(answer) }).toEqual({ method, ...notAllowed });
      }
    });

    test("is refused for custom kinds, which say so in other words", async () => {
      const path = await create(worker);
      const refusal = (verb: string) => ({
        ...{ status: 405, reason: "MethodNotAllowed" },
        message: `${verb} is not supported on resources of kind "${worker.resource}"`,
      });
      for (const method of others) {
        expect(said(await send(method, place(worker)))).toEqual(refusal(""));
        expect(said(await send(method, path))).toEqual(refusal(""));
      }
      expect(said(await send("POST", `${path}/scale`, {}))).toEqual(refusal("create"));
      expect(said(await send("DELETE", `${path}/scale`))).toEqual(refusal("delete"));
      expect(await isThere(path)).toBe(true);
    });

    test("is refused for HEAD, but for custom kinds", async () => {
      expect((await send("HEAD", place())).status).toBe(405);
      expect((await send("HEAD", await create())).status).toBe(405);
      expect((await send("HEAD", place(worker))).status).toBe(200);
    });

    test("is none for another method in a header", async () => {
      const path = await create();
      const override = { "x-http-method-override": "DELETE" };
      expect((await send("GET", path, undefined, override)).status).toBe(200);
      expect(said(await send("POST", path, {}, override))).toEqual(notAllowed);
      expect(await isThere(path)).toBe(true);
    });
  });
}

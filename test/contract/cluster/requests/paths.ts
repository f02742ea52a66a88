import { worker } from "../../../cluster/contract-objects";
import { asking, emptyBody, nameIn, type Served } from "./object-requests";

/** Paths that name nothing, or not what they seem to. */
export function pathsContract(served: () => Served): void {
  const { place, send, create, said, isThere } = asking(served, "paths");

  describe("a path that names nothing", () => {
    const unknown = { status: 404, reason: "NotFound", message: "the server could not find the requested resource" };

    test.each([
      ["an unknown subresource", "NAME/nothing"],
      ["a part behind the subresource", "NAME/scale/more"],
      ["two slashes", "/NAME"],
      ["the resource in upper case", "../Deployments/NAME"],
    ])("is not found for any method: %s", async (_case, suffix) => {
      const path = await create();
      const odd = `${place()}/${suffix.replace("NAME", nameIn(path))}`.replace("deployments/../", "");
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        expect({ method, ...said(await send(method, odd, emptyBody(method))) }).toEqual({
          method,
          ...unknown,
        });
      }
      expect(await isThere(path)).toBe(true);
    });

    test.each([
      ["..", "Name parameter invalid: \"..\": may not be '..'"],
      ["%2e%2e", "Name parameter invalid: \"..\": may not be '..'"],
      [".", "Name parameter invalid: \".\": may not be '.'"],
    ])("is no other path: DELETE of %s deletes neither the collection nor the namespace", async (name, message) => {
      const path = await create();
      expect(said(await send("DELETE", `${place()}/${name}`))).toEqual({ status: 400, reason: "BadRequest", message });
      expect(await isThere(path)).toBe(true);
      expect(await isThere(`/api/v1/namespaces/${served().server.namespace}`)).toBe(true);
    });

    test("is no other path: dots before the resource", async () => {
      const { namespace } = served().server;
      const path = await create();
      expect(said(await send("DELETE", `/apis/apps/v1/namespaces/other/../${namespace}/deployments`))).toEqual(unknown);
      expect(await isThere(path)).toBe(true);
    });

    test("a trailing slash, and an encoded letter, name what they would without", async () => {
      const path = await create();
      expect((await send("GET", `${path}/`)).status).toBe(200);
      expect((await send("GET", path.replace("deployments", "%64eployments"))).status).toBe(200);
      expect((await send("DELETE", path.replace(/\/(?=[^/]+$)/, "/%2F"))).status).toBe(404);
      expect(await isThere(path)).toBe(true);
    });

    test("a name without its namespace, or a namespace where none belongs", async () => {
      const path = await create();
      const name = nameIn(path);
      expect(said(await send("DELETE", `/apis/apps/v1/deployments/${name}`))).toEqual(unknown);
      const definitions = "/apis/apiextensions.k8s.io/v1/namespaces/default/customresourcedefinitions";
      expect(said(await send("GET", definitions))).toEqual(unknown);
      expect(said(await send("DELETE", "/api/v1/namespaces/default/namespaces/default"))).toEqual(unknown);
      for (const method of ["POST", "DELETE"]) {
        const across = worker.collection("x").replace("/namespaces/x", "");
        const { status, body } = await send(method, across, method === "POST" ? {} : undefined);
        expect({ status, body }).toEqual({ status: 404, body: "404 page not found\n" });
      }
      expect(await isThere(path)).toBe(true);
    });

    test("the namespaces that every cluster has stay", async () => {
      for (const name of ["default", "kube-system"]) {
        const message = `namespaces "${name}" is forbidden: this namespace may not be deleted`;
        const expected = { status: 403, reason: "Forbidden", message };
        expect(said(await send("DELETE", `/api/v1/namespaces/${name}`))).toEqual(expected);
      }
    });
  });
}

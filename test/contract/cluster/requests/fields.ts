import { deployment } from "../../../cluster/contract-objects";
import { asking, type Served } from "./object-requests";

/** Fields that a kind does not have: fieldValidation. */
export function fieldsContract(served: () => Served): void {
  const { place, send, newName, create, said, isThere } = asking(served, "fields");

  describe("fields that a kind does not have", () => {
    const odd = (name: string) => {
      const object = deployment.object(name, 1);
      return { ...object, spec: { ...(object["spec"] as object), foo: 1 }, extra: { a: 1 } };
    };
    const prefix = 'Deployment in version "v1" cannot be handled as a Deployment: ';

    test("are refused when the client is strict", async () => {
      const answer = await send("POST", `${place()}?fieldValidation=Strict`, odd("strict"));
      const message = `${prefix}strict decoding error: unknown field "spec.foo", unknown field "extra"`;
      expect(said(answer)).toEqual({ status: 400, reason: "BadRequest", message });
      expect(await isThere(`${place()}/strict`)).toBe(false);
    });

    test.each(["", "?fieldValidation=Warn"])(
      "are left out, with a warning, unless the client says more: %j",
      async (query) => {
        const answer = await send("POST", place() + query, odd(newName()));
        expect(answer.status).toBe(201);
        expect(answer.headers["warning"]).toBe(
          '299 - "unknown field \\"spec.foo\\"", 299 - "unknown field \\"extra\\""',
        );
        expect(answer.body).not.toMatchObject({ spec: { foo: 1 } });
        expect(answer.body).not.toHaveProperty("extra");
      },
    );

    test("are left out silently when the client does not care", async () => {
      const answer = await send("POST", `${place()}?fieldValidation=Ignore`, odd(newName()));
      expect([answer.status, answer.headers["warning"]]).toEqual([201, undefined]);
      expect(answer.body).not.toHaveProperty("extra");
    });

    test.each([
      ["merge-patch", { spec: { foo: 1 } }],
      ["strategic-merge-patch", { spec: { foo: 1 } }],
      ["json-patch", [{ op: "add", path: "/spec/foo", value: 1 }]],
    ])("are refused in a %s when the client is strict, and left out with a warning else", async (type, patch) => {
      const path = await create();
      const headers = { "content-type": `application/${type}+json` };
      const strict = said(await send("PATCH", `${path}?fieldValidation=Strict`, patch, headers));
      expect(strict).toMatchObject({ status: 422, reason: "Invalid" });
      expect(strict.message).toMatch(/^ "" is invalid: patch: .*: strict decoding error: unknown field "spec\.foo"$/);
      const warned = await send("PATCH", path, patch, headers);
      expect([warned.status, warned.headers["warning"]]).toEqual([200, '299 - "unknown field \\"spec.foo\\""']);
      expect(warned.body).not.toMatchObject({ spec: { foo: 1 } });
    });

    test("are those of a custom kind's schema, too", async () => {
      const definition = closedDefinition();
      await served().server.define(definition);
      const closed = `/apis/${definition.spec.group}/v1/namespaces/${served().server.namespace}/closeds`;
      const object = (name: string) => ({
        ...{ apiVersion: `${definition.spec.group}/v1`, kind: "Closed", metadata: { name } },
        spec: { size: 1, foo: 2, open: { any: { thing: 1 } } },
      });
      const strict = await send("POST", `${closed}?fieldValidation=Strict`, object("strict"));
      const message =
        'Closed in version "v1" cannot be handled as a Closed: strict decoding error: unknown field "spec.foo"';
      expect(said(strict)).toEqual({ status: 400, reason: "BadRequest", message });
      const { status, headers, body } = await send("POST", closed, object("warned"));
      expect([status, headers["warning"]]).toEqual([201, '299 - "unknown field \\"spec.foo\\""']);
      expect((body as { spec: unknown }).spec).toEqual({ size: 1, open: { any: { thing: 1 } } });
    });

    test.each([
      ["twice in the body", '"replicas":1,"replicas":2', 'strict decoding error: duplicate field "spec.replicas"'],
      ["in another case", '"replicas":1,"Replicas":2', 'strict decoding error: unknown field "spec.Replicas"'],
      [
        "of another type",
        '"replicas":1,"paused":"yes"',
        "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.paused of type bool",
      ],
    ])("or have %s", async (_case, fields, because) => {
      const text = JSON.stringify(deployment.object("never", 1)).replace('"replicas":1', fields);
      const answer = await send("POST", `${place()}?fieldValidation=Strict`, text);
      expect(said(answer)).toEqual({ status: 400, reason: "BadRequest", message: prefix + because });
    });
  });
}

/** A kind whose schema names its fields. */
function closedDefinition() {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const spec = { type: "object", properties: { size: { type: "integer" }, open } };
  const version = { name: "v1", served: true, storage: true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "closeds.closed.ebb.dev" },
    spec: {
      group: "closed.ebb.dev",
      scope: "Namespaced",
      names: { kind: "Closed", plural: "closeds" },
      versions: [{ ...version, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }],
    },
  };
}

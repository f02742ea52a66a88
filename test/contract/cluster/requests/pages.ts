import { deployment, worker } from "../../../cluster/contract-objects";
import { asking, nameIn, type Served } from "./object-requests";

/** Selectors of fields, and lists in pages. */
export function pagesContract(served: () => Served): void {
  const { place, send, create, said } = asking(served, "pages");

  describe("a selector of fields", () => {
    const onlyNames = (field: string) =>
      `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
    const notSupported = (field: string) => `field label not supported: ${field}`;

    test.each([
      ["deployments", () => place(), "spec.replicas", onlyNames("spec.replicas")],
      ["custom kinds", () => place(worker), "spec.replicas", notSupported("spec.replicas")],
      ["namespaces", () => "/api/v1/namespaces", "metadata.namespace", notSupported("metadata.namespace")],
      ["pods", () => "/api/v1/pods", "metadata.labels", notSupported("metadata.labels")],
      ["events", () => "/api/v1/events", "message", notSupported("message")],
    ])("that %s do not have is refused, for a list, a watch and a deletion", async (_kind, path, field, message) => {
      const query = `fieldSelector=${field}%3Dx`;
      const expected = { status: 400, reason: "BadRequest", message };
      expect(said(await send("GET", `${path()}?${query}`))).toEqual(expected);
      expect(said(await send("GET", `${path()}?watch=true&${query}`))).toEqual(expected);
      if (path() === place()) expect(said(await send("DELETE", `${path()}?${query}`))).toEqual(expected);
    });

    test("that they have selects", async () => {
      const path = await create();
      const name = nameIn(path);
      const { body } = await send("GET", `${place()}?fieldSelector=metadata.name%3D${name},metadata.namespace!%3Dx`);
      expect((body as ListBody).items.map(({ metadata }) => metadata.name)).toEqual([name]);
    });
  });

  describe("a list in pages", () => {
    const list = async (query: string) => (await send("GET", `${place()}?labelSelector=&${query}`)).body as ListBody;
    const namesOf = ({ items }: ListBody) => items.map(({ metadata }) => metadata.name);
    const clear = () => send("DELETE", place());

    test("is of one moment: what is created, changed or deleted meanwhile is not in it", async () => {
      await clear();
      for (const name of ["a", "b", "c", "d", "e"]) await create(deployment, name);
      const first = await list("limit=2");
      expect(namesOf(first)).toEqual(["a", "b"]);
      expect(first.metadata.remainingItemCount).toBe(3);
      await send("DELETE", `${place()}/c`);
      await create(deployment, "bb");
      await send("PATCH", `${place()}/d`, { spec: { replicas: 9 } });
      const second = await list(`limit=2&continue=${first.metadata.continue}`);
      expect(namesOf(second)).toEqual(["c", "d"]);
      expect(second.items[1]).toMatchObject({ spec: { replicas: 1 } });
      expect(second.metadata).toMatchObject({ resourceVersion: first.metadata.resourceVersion, remainingItemCount: 1 });
      const third = await list(`limit=2&continue=${second.metadata.continue}`);
      expect(namesOf(third)).toEqual(["e"]);
      expect(third.metadata.continue ?? "").toBe("");
      expect(namesOf(await list(`continue=${first.metadata.continue}`))).toEqual(["c", "d", "e"]);
      const exact = `resourceVersion=${first.metadata.resourceVersion}&resourceVersionMatch=Exact`;
      expect(namesOf(await list(exact))).toEqual(["a", "b", "c", "d", "e"]);
      expect(namesOf(await list(""))).toEqual(["a", "b", "bb", "d", "e"]);
    });

    test("does not count what is left behind a selector", async () => {
      await clear();
      for (const name of ["a", "b", "c"]) await create(deployment, name);
      const page = await list("limit=1&fieldSelector=metadata.name!%3Da");
      expect(namesOf(page)).toEqual(["b"]);
      expect(page.metadata.continue).toMatch(/./);
      expect(page.metadata.remainingItemCount).toBeUndefined();
    });

    const tokenOf = (token: unknown) => `continue=${Buffer.from(JSON.stringify(token)).toString("base64url")}`;
    const v = "meta.k8s.io/v1";
    const invalid = "invalid continue token: continue key is not valid: ";

    test.each([
      ["no number as limit", "limit=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
      ["no version", tokenOf({}), 400, `${invalid}server does not recognize this encoded version `],
      ["another version", tokenOf({ v: "v9" }), 400, `${invalid}server does not recognize this encoded version v9`],
      ["no moment", tokenOf({ v }), 400, `${invalid}incorrect encoded start resourceVersion (version ${v})`],
      ["no start", tokenOf({ v, rv: 1, start: "" }), 400, `${invalid}encoded start key empty (version ${v})`],
      [
        "a resourceVersion beside a token",
        `resourceVersion=1&${tokenOf({ v, rv: 1, start: "a\0" })}`,
        400,
        "specifying resource version is not allowed when using continue",
      ],
      [
        "a match without a resourceVersion",
        "resourceVersionMatch=Exact",
        422,
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ' +
          "resourceVersionMatch is forbidden unless resourceVersion is provided",
      ],
    ])("is refused: %s", async (_case, query, status, message) => {
      expect(said(await send("GET", `${place()}?${query}`))).toMatchObject({ status, message });
    });

    test("is refused: text that is no token, and a moment that is still to come", async () => {
      const answer = said(await send("GET", `${place()}?continue=garbage`));
      expect(answer).toMatchObject({ status: 400, reason: "BadRequest" });
      expect(answer.message).toContain(invalid);
      const future = `${place()}?${tokenOf({ v, rv: 999_999_999, start: "a\0" })}`;
      expect(said(await send("GET", future))).toMatchObject({ status: 504, reason: "Timeout" });
    });
  });
}

interface ListBody {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

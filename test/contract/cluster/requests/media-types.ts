import { asking, type Served } from "./object-requests";

/** Bodies and answers that are not JSON. */
export function mediaTypesContract(served: () => Served): void {
  const { place, send, newName, create, said, isThere } = asking(served, "media-types");

  describe("media types", () => {
    const yaml = (name: string) =>
      [
        "apiVersion: apps/v1",
        "kind: Deployment",
        `metadata: {name: ${name}, annotations: {since: "2026-01-01", quoted: 'yes'}}`,
        "spec:",
        "  replicas: 2",
        "  selector: {matchLabels: {app: a}}",
        "  template:",
        "    metadata: {labels: {app: a}}",
        "    spec: {containers: [{name: a, image: b}]}",
      ].join("\n");

    test("a body may be YAML", async () => {
      const name = newName();
      const answer = await send("POST", place(), yaml(name), { "content-type": "application/yaml" });
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({
        metadata: { name, annotations: { since: "2026-01-01", quoted: "yes" } },
        spec: { replicas: 2 },
      });
    });

    test.each<[string, string, string, [number, string]]>([
      ["broken YAML", "a: [", "application/yaml", [400, "BadRequest"]],
      ["broken JSON", "{{{", "application/json", [400, "BadRequest"]],
      ["no body", "", "application/json", [400, "BadRequest"]],
      ["a list", "[]", "application/json", [400, "BadRequest"]],
      ["far too deep", '{"a":'.repeat(20_000) + "1" + "}".repeat(20_000), "application/json", [400, "BadRequest"]],
      ["no protobuf", "garbage", "application/vnd.kubernetes.protobuf", [400, "BadRequest"]],
      ["half a protobuf", "k8s\0\n\xff\xff", "application/vnd.kubernetes.protobuf", [400, "BadRequest"]],
      ["a foreign type", "x", "text/plain", [415, "UnsupportedMediaType"]],
    ])("a body that cannot be read is refused: %s", async (_case, body, type, [status, reason]) => {
      expect(said(await send("POST", place(), body, { "content-type": type }))).toMatchObject({ status, reason });
    });

    test("an answer has the first form of Accept that there is", async () => {
      const path = await create();
      const formOf = async (accept: string, at = path) => {
        const { status, headers, body } = await send("GET", at, undefined, { accept });
        return [status, headers["content-type"], (body as { kind?: string }).kind];
      };
      const meta = (as: string) => `application/json;as=${as};v=v1;g=meta.k8s.io`;
      expect(await formOf("*/*")).toEqual([200, "application/json", "Deployment"]);
      expect(await formOf("text/plain, application/json;q=0.5")).toEqual([200, "application/json", "Deployment"]);
      expect(await formOf("application/yaml")).toEqual([200, "application/yaml", undefined]);
      expect(await formOf(meta("Table"))).toEqual([200, "application/json", "Table"]);
      expect(await formOf(meta("PartialObjectMetadata"))).toEqual([200, "application/json", "PartialObjectMetadata"]);
      const list = await formOf(meta("PartialObjectMetadataList"), place());
      expect(list).toEqual([200, "application/json", "PartialObjectMetadataList"]);
      for (const accept of ["text/html", "application/cbor", meta("Foo"), meta("Table").replace("v1", "v9")]) {
        expect(said(await send("GET", path, undefined, { accept }))).toMatchObject({
          status: 406,
          reason: "NotAcceptable",
        });
      }
      // What cannot be answered is not done.
      expect((await send("DELETE", path, undefined, { accept: "text/html" })).status).toBe(406);
      expect(await isThere(path)).toBe(true);
    });
  });
}

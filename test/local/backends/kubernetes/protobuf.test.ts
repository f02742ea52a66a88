import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { decodeProtobuf as decode } from "../../../../local/backends/kubernetes/schemas/decode-protobuf";
import { openApi, protobuf } from "../../../../local/backends/kubernetes/schemas/kubernetes-schemas";
import type { Messages, Schemas } from "../../../../local/backends/kubernetes/schemas/schemas";

const messages: Messages = protobuf;
const schemas = openApi as unknown as Schemas;
const decodeProtobuf = (body: Uint8Array) => decode(body, messages);

type Write = (writer: BinaryWriter) => void;

const bytes = (...writes: readonly Write[]): Uint8Array => {
  const writer = new BinaryWriter();
  for (const write of writes) write(writer);
  return writer.finish();
};
const text =
  (number: number, value: string): Write =>
  (writer) =>
    writer.tag(number, WireType.LengthDelimited).string(value);
const number =
  (field: number, value: number): Write =>
  (writer) =>
    writer.tag(field, WireType.Varint).int32(value);
const message =
  (field: number, ...writes: readonly Write[]): Write =>
  (writer) =>
    writer.tag(field, WireType.LengthDelimited).bytes(bytes(...writes));

const enveloped = (kind: string, ...writes: readonly Write[]): Uint8Array =>
  Buffer.concat([
    Buffer.from("k8s\0"),
    bytes(message(1, text(1, "apps/v1"), text(2, kind)), message(2, ...writes), text(3, ""), text(4, "")),
  ]);

/** As Go writes them: zero values too, an empty message for no time, an inlined struct as a field of its own. */
test("a Deployment is what its JSON would be", () => {
  const container = message(
    2,
    text(1, "main"),
    text(2, "example.com/main:1"),
    message(6, number(2, 0), number(3, 8080)),
    message(8, message(1, text(1, "cpu"), message(2, text(1, "100m")))),
    message(10, message(1, message(2, text(1, "/ready"), message(2, number(1, 1), number(2, 0), text(3, "http"))))),
    number(16, 0),
  );
  const volume = message(1, text(1, "tmp"), message(2, message(2, text(1, ""))));
  const template = message(
    3,
    message(1, message(11, text(1, "app"), text(2, "web"))),
    message(2, volume, container, number(4, 0)),
  );
  const strategy = message(4, text(1, ""), message(2, message(1, number(1, 0), number(2, 1), text(3, ""))));
  const metadata = message(
    1,
    text(1, "web"),
    text(3, ""),
    number(7, 0),
    message(8),
    message(11, text(1, "__proto__"), text(2, "x")),
  );
  const selector = message(2, message(1, text(1, "app"), text(2, "web")));
  const decoded = decodeProtobuf(
    enveloped("Deployment", metadata, message(2, number(1, 0), selector, template, strategy, number(5, 0)), message(3)),
  );
  expect(JSON.parse(JSON.stringify(decoded))).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels: JSON.parse('{"__proto__":"x"}') as unknown },
    spec: {
      // A pointer: zero is a value.
      replicas: 0,
      selector: { matchLabels: { app: "web" } },
      strategy: { rollingUpdate: { maxUnavailable: 1 } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: {
          terminationGracePeriodSeconds: 0,
          volumes: [{ name: "tmp", emptyDir: {} }],
          containers: [
            {
              ...{ name: "main", image: "example.com/main:1", ports: [{ containerPort: 8080 }] },
              resources: { limits: { cpu: "100m" } },
              livenessProbe: { httpGet: { path: "/ready", port: "http" } },
            },
          ],
        },
      },
    },
  });
});

test("times are RFC 3339", () => {
  const at = (field: number, nanos: number) => message(field, number(1, 1_767_225_600), number(2, nanos));
  const event = decodeProtobuf(enveloped("Event", at(6, 0), at(10, 123_456_789)));
  expect(event).toMatchObject({ firstTimestamp: "2026-01-01T00:00:00Z", eventTime: "2026-01-01T00:00:00.123456Z" });
});

const deep = (levels: number): Write => (levels === 0 ? text(1, "x") : message(2, deep(levels - 1)));

test.each<[string, Uint8Array, string]>([
  ["nothing of the kind", Buffer.from("{}"), "provided data does not appear to be a protobuf message"],
  ["only the prefix", Buffer.from("k8s\0"), ", Kind= is not decoded from protobuf here: send it as application/json"],
  ["a kind without a table", enveloped("Lease"), "apps/v1, Kind=Lease is not decoded from protobuf here"],
  ["a kind that every object has", enveloped("constructor"), "Kind=constructor is not decoded from protobuf here"],
  [
    "half of it",
    enveloped("Deployment", text(1, "x".repeat(50))).subarray(0, 40),
    "error decoding the protobuf message",
  ],
  ["another wire type", enveloped("Deployment", number(1, 5)), "expected wire type 2 in the protobuf message, got 0"],
  [
    "a length of 2 GB",
    Buffer.concat([Buffer.from("k8s\0"), Buffer.from([0x12, 0xff, 0xff, 0xff, 0xff, 0x07])]),
    "error decoding",
  ],
])("what is no message is a bad request: %s", (_case, body, because) => {
  expect(() => decodeProtobuf(body)).toThrow(because);
});

test("unknown fields are skipped, however deep they are", () => {
  const decoded = decodeProtobuf(enveloped("Namespace", message(99, deep(200)), message(1, text(1, "shop"))));
  expect(decoded["metadata"]).toEqual({ name: "shop" });
});

test("a list of a million items is read once", () => {
  const finalizers = Buffer.alloc(2 * 1_000_000);
  for (let at = 0; at < finalizers.length; at += 2) finalizers.writeUInt16BE(0x7200, at);
  const writer = (inner: BinaryWriter) => inner.tag(1, WireType.LengthDelimited).bytes(finalizers);
  const { metadata } = decodeProtobuf(enveloped("Namespace", writer)) as unknown as {
    metadata: { finalizers: string[] };
  };
  expect(metadata.finalizers).toHaveLength(1_000_000);
});

/** What both sources say of the same types is the same. */
const bySchema = Object.entries(schemas).flatMap(([name, { properties }]) => {
  const [kind = ""] = name.split(".").slice(-1);
  return Object.hasOwn(messages, kind) && properties !== undefined
    ? [[name, kind, Object.keys(properties)] as const]
    : [];
});

test("the recorded tables are there", () => {
  expect(bySchema.length).toBeGreaterThan(120);
});

test.each(bySchema)("the message has the fields of the schema: %s", (name, kind, properties) => {
  if (kind === "Preconditions" && !name.includes("meta.v1")) return;
  expect(fieldsOf(kind).sort()).toEqual(properties.filter((each) => !["apiVersion", "kind"].includes(each)).sort());
});

function fieldsOf(kind: string): string[] {
  return Object.values(messages[kind] ?? {}).flatMap((field) => {
    const [json = "", type = ""] = field.split(" ");
    return json === "" ? fieldsOf(type) : ["apiVersion", "kind"].includes(json) ? [] : [json];
  });
}

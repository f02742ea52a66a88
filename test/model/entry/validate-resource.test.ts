import { validateResource } from "../../../lib/model/entry/validate-entry";
import { toItem } from "../../../lib/table/items/attributes";
import { decodeSource } from "../../../lib/table/items/resource-items";

const spec = { kind: "sqs" };

test.each([
  ["orders\n", '"orders\\n"'],
  ["or\0ders", '"or\\x00ders"'],
  ["\u001b[31mred", '"\\x1b[31mred"'],
])("a name with a control character is an error that shows it escaped: %j", (name, shown) => {
  const { errors } = validateResource(
    { apiVersion: "ebb.dev/v1", kind: "MetricSource", metadata: { name }, spec },
    "MetricSource",
  );
  const text = `metadata.name: Invalid value: ${shown}: must not contain control characters`;
  expect(errors).toEqual([{ path: "metadata.name", text }]);
  const read = decodeSource(toItem({ pk: "CLUSTER#prod", sk: `SOURCE#${name}`, spec }));
  const invalid = `sk: expected "SOURCE#<name>", a name without control characters, got ${JSON.stringify(`SOURCE#${name}`)}`;
  expect(read).toEqual({ key: name, invalid });
});

test("a name is free text otherwise", () => {
  const document = { apiVersion: "ebb.dev/v1", kind: "MetricSource", metadata: { name: "größe der Schlange" }, spec };
  expect(validateResource(document, "MetricSource").errors).toEqual([]);
  expect(decodeSource(toItem({ sk: "SOURCE#größe der Schlange", spec }))).toMatchObject({ value: { spec } });
});

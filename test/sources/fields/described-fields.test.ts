import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publishedSchemas } from "../../../scripts/schemas/published";

test("the published schema has the fields of each kind, their texts and their patterns", () => {
  const path = join(__dirname, "../../../docs/schema/metric-source.json");
  const published = JSON.parse(readFileSync(path, "utf8")) as unknown;
  expect(JSON.parse(JSON.stringify(publishedSchemas()["metric-source.json"]))).toEqual(published);
});

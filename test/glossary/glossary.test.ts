import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { declaredNames, privateWordIn, readTerms, wordsOf } from "./names";

const root = join(__dirname, "../..");
const terms = readTerms(readFileSync(join(root, "docs/glossary.md"), "utf8"));
const words = terms.flatMap(({ not }) => not);
const folders = ["lib", "functions", "cli", "local", "infra"];
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((path) => join(folder, String(path)))
    .filter((path) => /\.(ts|mjs)$/.test(path) && !path.startsWith("lib/model/validators/"));
const files = [...folders.flatMap(filesIn), "compose.ts"];
const names = files.flatMap((file) =>
  declaredNames(readFileSync(join(root, file), "utf8")).map((name) => ({ name, file })),
);

/** Exported names that contain a word that the glossary replaces, as English uses it. */
const plainEnglish: readonly string[] = ["canReachZero", "needsMetrics", "needsPods", "needsOwnCall"];

/** Names that several files export: outside lib, a room may use a plain word. This list only gets shorter. */
const inSeveralFiles: readonly string[] = [
  ...["Connections", "JsonPath", "Step", "Written"],
  ...["billedByAws", "checkSchedule", "cutText", "handler", "openConnections"],
  ...["sourceNames", "timeoutOf", "unreadable"],
];

test("at most forty terms, each with a meaning and a source, and no word is used for two of them", () => {
  expect(terms.length).toBeLessThanOrEqual(40);
  expect(terms.length).toBeGreaterThan(30);
  expect(terms.filter(({ meaning, source }) => meaning === "" || source === "")).toEqual([]);
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  const names = terms.map(({ term }) => term.toLowerCase());
  expect(words.filter((word) => names.includes(word))).toEqual([]);
});

test("no exported name contains a word that the glossary replaces", () => {
  const found = names.filter(({ name }) => privateWordIn(wordsOf(name), words) !== undefined);
  expect(found.filter(({ name }) => !plainEnglish.includes(name))).toEqual([]);
  expect(plainEnglish.filter((name) => !found.some((one) => one.name === name))).toEqual([]);
});

test("no file or folder is named by a word that the glossary replaces", () => {
  // A noisy neighbour is the field's word for a tenant that slows others down.
  const isNoisy = (path: string) => path.startsWith("bench/neighbours");
  const others = ["test", "bench", "simulate", "scripts"].flatMap(filesIn);
  const paths = [...files, ...others].filter((path) => !isNoisy(path));
  const found = paths.filter((path) => {
    const parts = path.replace(/\.[a-z.]+$/, "").split("/");
    return parts.some((part) => privateWordIn(wordsOf(part), words) !== undefined);
  });
  expect(found).toEqual([]);
});

test("an exported name has one meaning", () => {
  const sharedIn = (folder: string) => {
    const found = names.filter(({ file }) => file.startsWith(folder)).map(({ name }) => name);
    return [...new Set(found.filter((name, index) => found.indexOf(name) !== index))].sort();
  };
  expect(sharedIn("")).toEqual(inSeveralFiles);
  // A kind of source exports what every kind does.
  expect(sharedIn("lib/")).toEqual(["billedByAws", "timeoutOf"]);
});

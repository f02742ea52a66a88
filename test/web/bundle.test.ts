import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { builtOnce } from "../built-once";

const root = join(__dirname, "../..");
const script = `import { bundlePage } from "./scripts/bundles.mjs"; await bundlePage(process.argv[1]);`;
const folder = builtOnce("page", ["web"], (draft) => {
  execFileSync(process.execPath, ["--input-type=module", "-e", script, draft], { cwd: root });
});
const files = readdirSync(folder);
const textOf = (file: string) => readFileSync(join(folder, file), "utf8");

test("the page is four files of at most 60 KB, compressed", () => {
  expect(files.sort()).toEqual(["app.css", "app.js", "icon.svg", "index.html"]);
  const sizes = files.map((file) => gzipSync(textOf(file)).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60 * 1024);
});

test("it names no other server, and runs nothing that the policy forbids", () => {
  // Names of XML's namespaces are no addresses.
  const texts = files.map((file) => textOf(file).replaceAll(/http:\/\/www\.w3\.org\/[\w/]+/g, ""));
  for (const text of texts) expect(text).not.toMatch(/https?:\/\/|\beval\(|new Function|@import|url\(/);
  expect(textOf("index.html")).not.toMatch(/ style=|<style|<script(?![^>]* src=)|javascript:| on\w+=/i);
});

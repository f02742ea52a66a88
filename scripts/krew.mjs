// Prints the krew manifest of a release: `npm run -s krew -- ARCHIVE URI`. ARCHIVE is the file from `npm pack`, and URI
// its published address.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseDocument } from "yaml";

const [archive, uri] = process.argv.slice(2);
if (uri === undefined || !/^https:\/\/\S+\.(tar\.gz|tgz)$/.test(uri)) {
  console.error(
    `krew: expected ARCHIVE and its https:// address, which ends in .tgz or .tar.gz, got ${uri ?? "no address"}`,
  );
  process.exit(2);
}
const { version } = JSON.parse(await readFile("package.json", "utf8"));
const sha256 = createHash("sha256")
  .update(await readFile(archive))
  .digest("hex");

const manifest = parseDocument(await readFile("packaging/krew/ebb.yaml", "utf8"));
manifest.commentBefore = null;
manifest.setIn(["spec", "version"], `v${version}`);
for (const platform of manifest.getIn(["spec", "platforms"]).items) {
  platform.set("uri", uri);
  platform.set("sha256", sha256);
}
process.stdout.write(manifest.toString({ lineWidth: 0 }));

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parse } from "yaml";

const repository = resolve(__dirname, "../../..");

/** The part of a krew manifest that an installation reads. */
interface Manifest {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly platforms: readonly {
      readonly uri: string;
      readonly sha256: string;
      readonly files: readonly { readonly from: string; readonly to: string }[];
      readonly bin: string;
    }[];
  };
}

/** `npm pack`, which builds first. @returns the archive's path */
export function packArchive(folder: string): string {
  const args = ["pack", "--json", "--pack-destination", folder];
  const printed = execFileSync("npm", args, { cwd: repository, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const [packed] = JSON.parse(printed.slice(printed.indexOf("[\n"))) as [{ readonly filename: string }];
  return join(folder, packed.filename);
}

/** The manifest that `npm run krew` prints for the archive. */
export function krewManifest(archive: string): Manifest {
  const args = ["scripts/krew.mjs", archive, `https://ebb.example/${basename(archive)}`];
  return parse(execFileSync(process.execPath, args, { cwd: repository, encoding: "utf8" })) as Manifest;
}

/**
 * What `kubectl krew install` does: checks the archive, unpacks it, keeps the listed files and links the command into
 * `bin`.
 * @returns the linked command
 */
export function installAsKrew(archive: string, folder: string, bin: string): string {
  const { metadata, spec } = krewManifest(archive);
  const [platform] = spec.platforms;
  const sha256 = createHash("sha256").update(readFileSync(archive)).digest("hex");
  if (platform?.sha256 !== sha256) throw new Error(`${archive}: expected sha256 ${sha256}, got ${platform?.sha256}`);
  const unpacked = join(folder, "unpacked");
  const store = join(folder, "store", metadata.name, spec.version);
  for (const made of [unpacked, store, bin]) mkdirSync(made, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", unpacked]);
  for (const { from, to } of platform.files) {
    // The shell expands `from`, and cp fails where nothing matches.
    execFileSync("sh", ["-c", `cp -R ${from} "$0"`, join(store, to)], { cwd: unpacked });
  }
  const command = join(bin, `kubectl-${metadata.name}`);
  symlinkSync(join(store, platform.bin), command);
  return command;
}

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isExecutable } from "./cache.mjs";
import { debianPackages, script } from "./debian.mjs";

const programs = ["postgres", "initdb", "psql"];

/** The server, and what it needs besides glibc, of Debian 12. */
const packages = [
  ...["postgresql-15", "postgresql-client-15", "libpq5", "libicu72", "libllvm14", "libz3-4", "libedit2", "libbsd0"],
  ...["libxml2", "libxslt1.1", "libldap-2.5-0", "libsasl2-2"],
  ...["libgssapi-krb5-2", "libkrb5-3", "libk5crypto3", "libkrb5support0", "libkeyutils1"],
];

/**
 * Paths of postgres, initdb and psql: of this machine's Debian, which has them outside PATH, else of its packages,
 * unpacked into the cache.
 * @returns {Promise<Record<string, string>>}
 */
export async function postgresqlServer() {
  const releases = await readdir("/usr/lib/postgresql").catch(() => []);
  for (const release of releases.sort((one, other) => Number(other) - Number(one))) {
    const bin = join("/usr/lib/postgresql", release, "bin");
    const found = await Promise.all(programs.map((program) => isExecutable(join(bin, program))));
    if (found.every(Boolean)) return at(bin);
  }
  const { folder, root, libraries } = await debianPackages("postgresql", packages);
  const bin = join(root, "usr/lib/postgresql/15/bin");
  for (const program of programs)
    await script(join(folder, program), `LD_LIBRARY_PATH='${libraries}' exec '${join(bin, program)}' "$@"`);
  return at(folder);
}

function at(folder) {
  return Object.fromEntries(programs.map((program) => [program, join(folder, program)]));
}

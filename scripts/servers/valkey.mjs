import { join } from "node:path";
import { debianPackages, onPath, script } from "./debian.mjs";

const packages = ["valkey-server", "valkey-tools", "libatomic1", "libjemalloc2", "liblzf1"];

/**
 * Path of valkey-server: of this machine, else of Debian's packages, unpacked into the cache. redis-cli speaks to it.
 * @returns {Promise<Record<string, string>>}
 */
export async function valkeyServer() {
  const server = await onPath("valkey-server");
  if (server !== undefined) return { valkeyServer: server };
  const { folder, root, libraries } = await debianPackages("valkey", packages, { backports: true });
  const found = { valkeyServer: join(folder, "valkey-server") };
  await script(found.valkeyServer, `LD_LIBRARY_PATH='${libraries}' exec '${root}/usr/bin/valkey-server' "$@"`);
  return found;
}

import { join } from "node:path";
import { debianPackages, onPath, script } from "./debian.mjs";

const packages = ["redis-server", "redis-tools", "libatomic1", "libjemalloc2", "liblzf1"];

/**
 * Paths of redis-server and redis-cli: of this machine, else of Debian's packages, unpacked into the cache.
 * @returns {Promise<Record<string, string>>}
 */
export async function redisServer() {
  const [server, cli] = await Promise.all(["redis-server", "redis-cli"].map(onPath));
  if (server !== undefined && cli !== undefined) return { redisServer: server, redisCli: cli };
  const { folder, root, libraries } = await debianPackages("redis", packages);
  const found = { redisServer: join(folder, "redis-server"), redisCli: join(folder, "redis-cli") };
  await script(found.redisServer, `LD_LIBRARY_PATH='${libraries}' exec '${root}/usr/bin/redis-server' "$@"`);
  await script(found.redisCli, `LD_LIBRARY_PATH='${libraries}' exec '${root}/usr/bin/redis-cli' "$@"`);
  return found;
}

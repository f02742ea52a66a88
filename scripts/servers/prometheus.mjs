import { join } from "node:path";
import { debianPackages, onPath } from "./debian.mjs";

/**
 * Paths of prometheus and promtool: of this machine, else of Debian's package, unpacked into the cache.
 * @returns {Promise<Record<string, string>>}
 */
export async function prometheusServer() {
  const [prometheus, promtool] = await Promise.all(["prometheus", "promtool"].map(onPath));
  if (prometheus !== undefined && promtool !== undefined) return { prometheus, promtool };
  const { root } = await debianPackages("prometheus", ["prometheus"]);
  return { prometheus: join(root, "usr/bin/prometheus"), promtool: join(root, "usr/bin/promtool") };
}

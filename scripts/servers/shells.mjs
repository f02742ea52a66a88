import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { debianPackages, onPath, script } from "./debian.mjs";

/** The shells in which completion is driven, with what each needs besides glibc, by the names of Debian's packages. */
const packages = ["zsh", "zsh-common", "libcap2", "fish", "fish-common", "libpcre2-32-0"];

/**
 * Paths of zsh and fish: of this machine, else of Debian's packages, unpacked into the cache. A machine that has
 * neither goes without: only the suite that drives the shells fails then.
 * @returns {Promise<Record<string, string>>}
 */
export async function shells() {
  const [zsh, fish] = await Promise.all(["zsh", "fish"].map(onPath));
  if (zsh !== undefined && fish !== undefined) return { zsh, fish };
  try {
    const unpacked = await fromDebian();
    return { zsh: zsh ?? unpacked.zsh, fish: fish ?? unpacked.fish };
  } catch (error) {
    console.log(`servers: no ${zsh === undefined ? "zsh" : "fish"}: install it, or run on Debian: ${error.message}`);
    return { ...(zsh && { zsh }), ...(fish && { fish }) };
  }
}

async function fromDebian() {
  const { folder, root, libraries } = await debianPackages("shells", packages);
  const [zsh, fish] = [join(folder, "zsh"), join(folder, "fish")];
  await writeFile(join(folder, ".zshenv"), zshenv(root, libraries.split(delimiter)[0]));
  const path = `LD_LIBRARY_PATH='${libraries}'`;
  await script(zsh, `EBB_ZDOTDIR="\${ZDOTDIR:-$HOME}" ZDOTDIR='${folder}' ${path} exec '${root}/bin/zsh' "$@"`);
  await script(fish, `${path} exec '${root}/usr/bin/fish' "$@"`);
  return { zsh, fish };
}

/** zsh reads it first: its modules and functions are not where they would be installed. */
function zshenv(root, libraries) {
  return `ZDOTDIR=$EBB_ZDOTDIR
module_path=('${libraries}'/zsh/*(N/))
fpath=('${root}'/usr/share/zsh/functions/**/*(N/) '${root}'/usr/share/zsh/functions)
[[ -r $ZDOTDIR/.zshenv ]] && source $ZDOTDIR/.zshenv
`;
}

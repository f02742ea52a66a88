import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { debianPackages, script } from "./debian.mjs";

/** The server, with the parts of Erlang that it needs. */
const packages = [
  "rabbitmq-server",
  ...["asn1", "base", "crypto", "eldap", "inets", "mnesia", "os-mon", "parsetools", "public-key", "runtime-tools"].map(
    (part) => `erlang-${part}`,
  ),
  ...["ssl", "syntax-tools", "tools", "xmerl"].map((part) => `erlang-${part}`),
];

/**
 * Paths of rabbitmq-server, rabbitmqctl and epmd (Erlang's names of nodes), of Debian's packages, unpacked into the
 * cache. Where the server keeps its data, and everything else, is in its environment.
 * @returns {Promise<Record<string, string>>}
 */
export async function rabbitmqServer() {
  const { folder, root } = await debianPackages("rabbitmq", packages);
  const bin = join(folder, "bin");
  await mkdir(bin, { recursive: true });
  const erlang = join(root, "usr/lib/erlang");
  const runtime = join(erlang, await only(erlang, /^erts-/), "bin");
  // Debian's own names /usr/lib/erlang.
  const variables = `ROOTDIR='${erlang}' BINDIR='${runtime}' EMU=beam PROGNAME=erl`;
  await script(join(bin, "erl"), `export ${variables}; exec '${runtime}/erlexec' "$@"`);
  const servers = join(root, "usr/lib/rabbitmq/lib");
  const home = join(servers, await only(servers, /^rabbitmq_server-/), "sbin");
  for (const name of ["rabbitmq-server", "rabbitmqctl"])
    await script(join(bin, name), `export PATH='${bin}':"$PATH"; exec '${join(home, name)}' "$@"`);
  return {
    rabbitmqServer: join(bin, "rabbitmq-server"),
    rabbitmqctl: join(bin, "rabbitmqctl"),
    epmd: join(runtime, "epmd"),
  };
}

/** The one entry of that form: its version is Debian's choice. */
async function only(folder, form) {
  const [found] = (await readdir(folder)).filter((entry) => form.test(entry));
  if (found === undefined) throw new Error(`${folder}: expected an entry like ${form}`);
  return found;
}

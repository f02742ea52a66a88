import { execFile } from "node:child_process";
import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { base64, makeCertificates } from "../../cluster/certificates";
import { type Child, startChild } from "./child";
import { freePorts } from "./free-ports";
import { installedProgram } from "./installed";
import { serverFolder } from "./server-folder";

const run = promisify(execFile);

export interface PostgresqlServer {
  /** `127.0.0.1:port`, with TLS and without. */
  readonly address: string;
  /** base64 of the CA's PEM. */
  readonly certificateAuthorityData: string;
  /** What psql prints, as the superuser of the database "postgres". */
  psql(sql: string): Promise<string>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root: then it runs as nobody. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** Users log in with SCRAM. The superuser logs in without a password, over a socket file. */
export async function startPostgresql(): Promise<PostgresqlServer> {
  const folder = serverFolder();
  const [port = 0] = await freePorts(1);
  const { ca, server } = await makeCertificates();
  const data = join(folder.path, "data");
  const own = (file: string, text: string) => {
    const path = join(folder.path, file);
    writeFileSync(path, text, { mode: 0o600 });
    if (isRoot) chownSync(path, nobody, nobody);
    return path;
  };
  chmodSync(folder.path, 0o755);
  if (isRoot) chownSync(folder.path, nobody, nobody);
  const as = isRoot ? { uid: nobody, gid: nobody } : {};
  await run(installedProgram("initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8"], {
    ...as,
    cwd: folder.path,
  });
  const access = own("pg_hba.conf", "local all postgres trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
  const settings = {
    hba_file: access,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder.path,
    ssl: "on",
    ssl_cert_file: own("cert.pem", server.cert),
    ssl_key_file: own("key.pem", server.key),
    fsync: "off",
  };
  const psql = async (sql: string) => {
    const login = ["-h", folder.path, "-p", String(port), "-U", "postgres", "-d", "postgres"];
    const { stdout } = await run(installedProgram("psql"), [...login, "-X", "-A", "-t", "-q", "-c", sql]);
    return stdout.trim();
  };
  const command = installedProgram("postgres");
  const args = ["-D", data, "-p", String(port)].concat(
    Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  );
  const child: Child = await startChild({
    name: "postgres",
    ...(isRoot
      ? { command: "setpriv", args: [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", command, ...args] }
      : { command, args }),
    cwd: folder.path,
    log: folder.log("postgres"),
    ready: async () => (await psql("SELECT 1")) === "1",
    readyTimeoutMs: 20_000,
  });
  return {
    address: `127.0.0.1:${port}`,
    certificateAuthorityData: base64(ca),
    psql,
    async stop() {
      await child.stop();
      folder.remove();
    },
  };
}

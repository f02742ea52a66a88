import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { base64, makeCertificates } from "../../cluster/certificates";
import { type Child, startChild } from "./child";
import { freePorts } from "./free-ports";
import { installedProgram } from "./installed";
import { serverFolder } from "./server-folder";

const run = promisify(execFile);

export interface RedisServer {
  /** `127.0.0.1:port`: with TLS if it has a CA. */
  readonly address: string;
  readonly port: number;
  /** base64 of the CA's PEM. */
  readonly certificateAuthorityData: string;
  /** What redis-cli prints. */
  cli(...args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

interface Options {
  readonly name: string;
  readonly program?: "redisServer" | "valkeyServer";
  /** Lines of its configuration. */
  readonly config?: readonly string[];
  /** Of the user "default". */
  readonly password?: string;
  readonly withTls?: boolean;
  readonly isSentinel?: boolean;
}

export async function startRedis(options: Options) {
  const { name, program = "redisServer", config = [], password, withTls = false, isSentinel = false } = options;
  const folder = serverFolder();
  const [port = 0] = await freePorts(1);
  const { ca, server } = await makeCertificates();
  const at = (file: string, text: string) => {
    writeFileSync(join(folder.path, file), text);
    return join(folder.path, file);
  };
  const caFile = at("ca.pem", ca);
  const tls = [
    ...["port 0", `tls-port ${port}`, "tls-auth-clients no", `tls-ca-cert-file ${caFile}`],
    ...[`tls-cert-file ${at("cert.pem", server.cert)}`, `tls-key-file ${at("key.pem", server.key)}`],
  ];
  const common = ["bind 127.0.0.1", `dir ${folder.path}`, ...(isSentinel ? [] : ['save ""'])];
  const file = at(
    "redis.conf",
    [
      ...common,
      ...(withTls ? tls : [`port ${port}`]),
      ...config,
      ...(password === undefined ? [] : [`requirepass ${password}`]),
      "",
    ].join("\n"),
  );
  const cli = async (...args: readonly string[]) => {
    const secure = withTls ? ["--tls", "--cacert", caFile] : [];
    const { stdout } = await run(installedProgram("redisCli"), ["-p", String(port), ...secure, "-e", ...args], {
      env: { ...process.env, ...(password !== undefined && { REDISCLI_AUTH: password }) },
    });
    return stdout.trim();
  };
  const child: Child = await startChild({
    name,
    command: installedProgram(program),
    args: [file, ...(isSentinel ? ["--sentinel"] : [])],
    cwd: folder.path,
    log: folder.log(name),
    ready: async () => (await cli("PING")) === "PONG",
    readyTimeoutMs: 15_000,
  });
  const stop = async () => {
    await child.stop();
    folder.remove();
  };
  return { address: `127.0.0.1:${port}`, port, certificateAuthorityData: base64(ca), cli, stop } satisfies RedisServer;
}

import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { apiClient } from "./api-client";
import { certificateAuthority, serverCertificate } from "./certificates";
import { type Child, startChild } from "./child";
import { freePorts } from "./free-ports";
import { installedProgram } from "./installed";
import { serverFolder } from "./server-folder";

/** A real RabbitMQ on loopback, with its management API over TLS, and STOMP for consumers. */
export interface Rabbitmq {
  /** https://127.0.0.1:<port> */
  readonly url: string;
  /** base64 of PEM. */
  readonly certificateAuthorityData: string;
  /** An administrator. */
  readonly user: { readonly username: string; readonly password: string };
  readonly stompPort: number;
  /** The management API, as the administrator. `path` is below /api. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** What the server's own tool prints, parsed. */
  ctl(...args: readonly string[]): Promise<unknown>;
  /** Closes all connections to the management API, and to STOMP. */
  hangUp(): Promise<void>;
  stop(): Promise<void>;
}

const user = { username: "admin", password: "4dm1n-0f-th3-suit3" };

export async function startRabbitmq(): Promise<Rabbitmq> {
  const folder = serverFolder();
  const [management = 0, amqp = 0, stompPort = 0, names = 0, distribution = 0] = await freePorts(5);
  const authority = await certificateAuthority("rabbitmq-ca");
  const serving = await serverCertificate(authority, ["127.0.0.1", "localhost"]);
  const at = (file: string) => join(folder.path, file);
  writeFileSync(at("ca.crt"), authority.cert);
  writeFileSync(at("serving.crt"), serving.cert);
  writeFileSync(at("serving.key"), serving.key, { mode: 0o600 });
  writeFileSync(at("enabled_plugins"), "[rabbitmq_management, rabbitmq_stomp].");
  writeFileSync(
    at("rabbitmq.conf"),
    `listeners.tcp.1 = 127.0.0.1:${amqp}
stomp.listeners.tcp.1 = 127.0.0.1:${stompPort}
management.ssl.ip = 127.0.0.1
management.ssl.port = ${management}
management.ssl.cacertfile = ${at("ca.crt")}
management.ssl.certfile = ${at("serving.crt")}
management.ssl.keyfile = ${at("serving.key")}
collect_statistics_interval = 1000
default_user = ${user.username}
default_pass = ${user.password}
`,
  );
  mkdirSync(at("home"));
  const env = {
    HOME: at("home"), // of Erlang's cookie
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    RABBITMQ_NODENAME: "ebb@127.0.0.1",
    RABBITMQ_USE_LONGNAME: "true",
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
    RABBITMQ_CONF_ENV_FILE: "/dev/null",
    RABBITMQ_CONFIG_FILE: at("rabbitmq.conf"),
    RABBITMQ_ENABLED_PLUGINS_FILE: at("enabled_plugins"),
    RABBITMQ_MNESIA_BASE: at("data"),
    RABBITMQ_LOG_BASE: at("log"),
    RABBITMQ_LOGS: "-",
    RABBITMQ_SCHEMA_DIR: at("schema"),
    RABBITMQ_GENERATED_CONFIG_DIR: at("config"),
    RABBITMQ_PID_FILE: at("pid"),
    RUNNING_UNDER_SYSTEMD: "true", // its script becomes the server, and does not stay beside it
  };
  const url = `https://127.0.0.1:${management}`;
  const basic = Buffer.from(`${user.username}:${user.password}`).toString("base64");
  const client = apiClient(url, authority.cert, basic, "Basic");
  const children: Child[] = [];
  const stop = async () => {
    client.close();
    for (const child of children.reverse()) await child.stop();
    folder.remove();
  };
  const start = async (name: "rabbitmqServer" | "epmd", args: readonly string[], ready: () => Promise<boolean>) => {
    const command = installedProgram(name);
    const where = { cwd: folder.path, env, log: folder.log(name), readyTimeoutMs: 60_000 };
    children.push(await startChild({ name, command, args, ready, ...where }));
  };
  try {
    // Not as RabbitMQ starts it: that one would stay when the suite ends.
    await start("epmd", ["-port", String(names), "-address", "127.0.0.1"], () => Promise.resolve(true));
    await start("rabbitmqServer", [], async () => (await client.send("GET", "/api/overview")).status === 200);
  } catch (error) {
    await stop();
    throw error;
  }
  const ctl = async (...args: readonly string[]) => {
    const options = { env: { ...process.env, ...env }, timeout: 30_000 };
    const { stdout } = await promisify(execFile)(installedProgram("rabbitmqctl"), ["--quiet", ...args], options);
    return stdout;
  };
  return {
    url,
    certificateAuthorityData: Buffer.from(authority.cert).toString("base64"),
    user,
    stompPort,
    async call(method, path, body) {
      const answer = await client.send(method, `/api${path}`, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    ctl: async (...args) => JSON.parse(await ctl("--formatter", "json", ...args)) as unknown,
    async hangUp() {
      const connections = "[Pid || Listener <- maps:keys(ranch:info()), Pid <- ranch:procs(Listener, connections)]";
      await ctl("eval", `[exit(Pid, kill) || Pid <- ${connections}].`);
    },
    stop,
  };
}

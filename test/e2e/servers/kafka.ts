import { execFile } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { certificateAuthority, serverCertificate } from "./certificates";
import { type Child, startChild } from "./child";
import { freePorts } from "./free-ports";
import { installedProgram } from "./installed";
import { serverFolder } from "./server-folder";

/** A real Kafka of one broker on loopback: TLS and SCRAM for clients, and plain connections for its own tools. */
export interface Kafka {
  /** host:port, by TLS and SCRAM-SHA-512. */
  readonly address: string;
  /** base64 of PEM. */
  readonly certificateAuthorityData: string;
  readonly user: { readonly username: string; readonly password: string };
  /** Runs a class of Kafka's tools, and returns what it prints. `input` is for its standard input. */
  tool(name: string, args: readonly string[], input?: string): Promise<string>;
  /** All connections end, and the broker is back with what it had. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const user = { username: "ebb", password: "kafk4-0f-th3-suit3" };

/** @param advertised what the broker says of its address to those who ask over TLS. Default: the one it has. */
export async function startKafka({ advertised }: { readonly advertised?: string } = {}): Promise<Kafka> {
  const folder = serverFolder();
  const [controller = 0, plain = 0, secure = 0] = await freePorts(3);
  const authority = await certificateAuthority("kafka-ca");
  const serving = await serverCertificate(authority, [
    ...["127.0.0.1", "localhost", "kafka.shop.svc"],
    ...(advertised === undefined ? [] : [advertised.replace(/:.*/, "")]),
  ]);
  const at = (file: string) => join(folder.path, file);
  const key = createPrivateKey(serving.key).export({ type: "pkcs8", format: "pem" });
  writeFileSync(at("serving.pem"), `${key.toString()}${serving.cert}`, { mode: 0o600 });
  const scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;";
  writeFileSync(
    at("server.properties"),
    `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=PLAINTEXT://127.0.0.1:${plain},SASL_SSL://127.0.0.1:${secure},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${plain},SASL_SSL://${advertised ?? `127.0.0.1:${secure}`}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=${at("data")}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=${scram}
ssl.keystore.type=PEM
ssl.keystore.location=${at("serving.pem")}
`,
  );
  const run = (name: string, args: readonly string[], input = "") =>
    new Promise<string>((resolve, reject) => {
      const child = execFile(
        installedProgram("kafka"),
        [name, ...args],
        { timeout: 60_000 },
        (error, stdout, stderr) =>
          error === null ? resolve(stdout) : reject(new Error(`${name}: ${stdout}${stderr}`, { cause: error })),
      );
      child.stdin?.end(input);
    });
  let broker: Child | undefined;
  const start = async () => {
    broker = await startChild({
      name: "kafka",
      command: installedProgram("kafka"),
      args: ["kafka.Kafka", at("server.properties")],
      cwd: folder.path,
      log: folder.log("kafka"),
      ready: () => listens(secure),
      readyTimeoutMs: 60_000,
    });
  };
  const stop = async () => {
    await broker?.stop();
    folder.remove();
  };
  try {
    const credential = `SCRAM-SHA-512=[name=${user.username},password=${user.password}]`;
    const format = ["format", "-t", "AAAAAAAAAAAAAAAAAAAAAQ", "-c", at("server.properties"), "--add-scram", credential];
    await run("kafka.tools.StorageTool", format);
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    address: `127.0.0.1:${secure}`,
    certificateAuthorityData: Buffer.from(authority.cert).toString("base64"),
    user,
    tool: (name, args, input) =>
      run(`org.apache.kafka.tools.${name}`, ["--bootstrap-server", `127.0.0.1:${plain}`, ...args], input),
    async restart() {
      await broker?.stop();
      await start();
    },
    stop,
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } finally {
    socket.destroy();
  }
}

import { dirname, join } from "node:path";
import { startChild, type Child, type ChildCommand } from "./child";
import { freePorts } from "./free-ports";
import { installed, installedProgram } from "./installed";
import { serverFolder } from "./server-folder";

/** An AWS emulator on loopback: every service at one endpoint. */
export interface Emulator {
  /** http://127.0.0.1:<port> */
  readonly endpoint: string;
  readonly region: string;
  /**
   * What a process needs in its environment so that the SDK, osls and functions talk to the emulator, and to nothing
   * else.
   */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const region = "eu-central-1";

/** moto: faithful DynamoDB, SQS, Secrets Manager, STS and CloudFormation; runs no functions. */
export async function startMoto(): Promise<Emulator> {
  const [port = 0] = await freePorts(1);
  return start("moto", port, {
    command: join(dirname(installed().moto), "python3"),
    args: [join(__dirname, "run-moto.py"), "--host", "127.0.0.1", "--port", String(port)],
    ready: async () => (await get(port, "/moto-api/data.json")).ok,
  });
}

/**
 * DynamoDB Local: AWS's own DynamoDB in memory, transactions included. It listens on every interface, and has only what
 * a test writes.
 */
export async function startDynamodbLocal(): Promise<Emulator> {
  const [port = 0] = await freePorts(1);
  return start("dynamodb-local", port, {
    command: installedProgram("dynamodbLocal"),
    args: ["-port", String(port)],
    ready: async () => (await get(port, "/")).status === 400,
  });
}

/**
 * ministack: creates a whole stack and really runs its functions, with this process's node, and `more` in their
 * environment.
 */
export async function startMinistack(more: Readonly<Record<string, string>> = {}): Promise<Emulator> {
  const [port = 0] = await freePorts(1);
  return start("ministack", port, {
    command: join(dirname(installed().ministack), "python3"),
    args: [join(__dirname, "run-ministack.py")],
    // Its default is every interface of the machine, and more listeners than one.
    env: {
      BIND_HOST: "127.0.0.1",
      GATEWAY_PORT: String(port),
      MINISTACK_REGION: region,
      MINISTACK_HOST: "127.0.0.1",
      IOT_MTLS_ENABLED: "0",
      SFTP_ENABLED: "0",
      ...more,
    },
    ready: async () => (await get(port, "/_ministack/health")).ok,
  });
}

async function start(
  name: string,
  port: number,
  command: Pick<ChildCommand, "command" | "args" | "ready"> & { env?: Readonly<Record<string, string>> },
): Promise<Emulator> {
  const folder = serverFolder();
  const endpoint = `http://127.0.0.1:${port}`;
  const env = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_EC2_METADATA_DISABLED: "true",
    // Never a person's own credentials or settings.
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
  };
  const child: Child = await startChild({
    name,
    ...command,
    env: { ...env, TMPDIR: folder.path, ...command.env },
    cwd: folder.path,
    log: folder.log(name),
    readyTimeoutMs: 60_000,
  }).catch((error: unknown) => {
    folder.remove();
    throw error;
  });
  const stop = async () => {
    await child.stop();
    folder.remove();
  };
  return { endpoint, region, env, stop };
}

function get(port: number, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(2_000) });
}

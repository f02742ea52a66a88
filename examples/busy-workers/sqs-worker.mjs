import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { clearInterval, setInterval } from "node:timers";

const sqs = new SQSClient();
const QueueUrl = process.env.QUEUE_URL;
const seconds = Number(process.env.VISIBILITY_SECONDS ?? 300);
let busy = 0;
let isStopping = false;
process.on("SIGTERM", () => (isStopping = true));
const server = createServer((_request, response) => response.end(String(busy)));
server.listen(process.argv[2] ?? 8080);

const hide = (ReceiptHandle, VisibilityTimeout) =>
  sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));

while (!isStopping) {
  const receive = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5, VisibilityTimeout: seconds });
  const { Messages: [message] = [] } = await sqs.send(receive);
  if (message === undefined) continue;
  const { Body, ReceiptHandle } = message;
  // It came in the last wait: another pod may have it.
  if (isStopping) await hide(ReceiptHandle, 0);
  else {
    busy = 1;
    const extending = setInterval(() => hide(ReceiptHandle, seconds).catch(console.error), seconds * 500);
    const job = spawn("sh", ["-c", Body], { stdio: "inherit", detached: true });
    const [code] = await once(job, "exit");
    if (code === 0) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    clearInterval(extending);
    busy = 0;
  }
}
server.close();
server.closeAllConnections();

import { exec } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

let busy = 0;
const server = createServer((_request, response) => response.end(String(busy)));
server.listen(process.argv[2] ?? 8080);
// Your queue: delete the message after the job.
for await (const job of createInterface({ input: process.stdin })) {
  busy = 1;
  await promisify(exec)(job).catch(console.error);
  busy = 0;
}
server.close();

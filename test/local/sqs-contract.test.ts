import { realClock } from "../../local/clock";
import { seededRandom } from "../../local/random";
import { createAccount } from "../../local/sqs/account";
import { startSqsServer } from "../../local/sqs/server";
import { sqsContract } from "../contract/sqs-contract";

sqsContract("simulation", async () => {
  const clock = realClock();
  const server = await startSqsServer(createAccount({ clock, random: seededRandom(1) }));
  return {
    endpoint: server.endpoint,
    credentials: server.credential,
    async tearDown() {
      clock.close();
      await server.close();
    },
  };
});

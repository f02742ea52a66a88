import { realClock } from "../../../local/simulation/clock";
import { seededRandom } from "../../../local/simulation/random";
import { createAccount } from "../../../local/simulation/sqs/account";
import { startSqsServer } from "../../../local/simulation/sqs/server";
import { sqsContract } from "../../contract/sqs-contract";

sqsContract("simulation", async () => {
  const clock = realClock();
  const server = await startSqsServer(createAccount({ clock, random: seededRandom(1) }));
  return {
    endpoint: server.endpoint,
    async tearDown() {
      clock.close();
      await server.close();
    },
  };
});

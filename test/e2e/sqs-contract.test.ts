import { sqsContract } from "../contract/sqs-contract";
import { startMoto } from "./servers/emulator";

sqsContract("moto", async () => {
  const moto = await startMoto();
  return { endpoint: moto.endpoint, region: moto.region, tearDown: () => moto.stop() };
});

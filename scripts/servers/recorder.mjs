// Builds parity/recorder, which answers as upstream's controller and admission do, and prints its path.
import { exit } from "node:process";
import { goProgram } from "./go-program.mjs";

try {
  console.log(await goProgram({ name: "recorder", folders: ["parity/recorder"] }));
} catch (error) {
  console.error(error.message);
  exit(1);
}

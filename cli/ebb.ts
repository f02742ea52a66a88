import { Command } from "commander";
import { version } from "../package.json";
import { evaluateCommand } from "./evaluate";
import { getCommand } from "./get";
import { startCommand } from "./start";
import { validateCommand } from "./validate";

/** The SDK warns whoever runs it on Node 20; what Node ebb is released for is not its user's to mend. */
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

/** The `ebb` command. */
async function main(): Promise<void> {
  const program = new Command("ebb")
    .description("The Kubernetes Horizontal Pod Autoscaler as a serverless system.")
    .version(version)
    .showHelpAfterError("(see ebb --help)")
    .addCommand(startCommand())
    .addCommand(getCommand())
    .addCommand(validateCommand())
    .addCommand(evaluateCommand());
  await program.parseAsync();
}

main().catch((error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

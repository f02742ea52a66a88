import { invocation, runEbb } from "./program";
import { processSurroundings } from "./surroundings";

/** The SDK warns whoever runs it on Node 20; what Node ebb is released for is not its user's to mend. */
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

/** Whoever reads has seen enough: `ebb get hpa | head`. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

/** The first Ctrl-C lets the verb end cleanly; a second one ends the process. */
const interrupting = new AbortController();
process.once("SIGINT", () => interrupting.abort());

const { args, name } = invocation(process.argv);
void runEbb(args, processSurroundings(interrupting.signal), name);

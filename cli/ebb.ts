import { invocation, runEbb } from "./program";
import { processSurroundings } from "./surroundings";

/** The SDK warns on Node 20, which ebb supports; its users cannot do anything about the warning. */
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

/** The reader has closed the pipe: `ebb get hpa | head`. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // `ebb start` ends cleanly by itself.
  if (process.stdout.listenerCount("error") > 1) return;
  if (error.code === "EPIPE") process.exit();
  throw error;
});

/** The first Ctrl-C lets the verb end cleanly; a second one ends the process. */
const interrupting = new AbortController();
process.once("SIGINT", () => interrupting.abort());

const { args, name } = invocation(process.argv);
void runEbb(args, processSurroundings(interrupting.signal), name);

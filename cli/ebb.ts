import { invocation, runEbb } from "./program";
import { processEnvironment } from "./shell/environment";

/** The SDK warns about Node 20, which ebb supports. */
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

/** Half of the threads look names up. By default, two names that hang keep all others waiting. */
process.env["UV_THREADPOOL_SIZE"] ??= "64";

/** `ebb get hpa | head`: the reader has closed the pipe. `ebb get hpa > /dev/full`: the output is lost, so it fails. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (process.stdout.listenerCount("error") > 1) return;
  if (error.code === "EPIPE") process.exit();
  process.stderr.write(`error: the output cannot be written: ${error.message}\n`, () => process.exit(1));
});
/** There is nowhere left to say it. */
process.stderr.on("error", () => process.exit(1));

/** The first Ctrl-C lets the verb end cleanly; a second one ends the process. */
const interrupting = new AbortController();
process.once("SIGINT", () => interrupting.abort());

const { args, name } = invocation(process.argv);
void runEbb(args, processEnvironment(interrupting.signal), name);

import { join, resolve } from "node:path";
import { takeRecord } from "./run-record";
import { searchFolder } from "./search-folder";

const root = resolve(__dirname, "../..");
const logs = join(resolve(root, process.env["EBB_CACHE"] || ".cache"), "logs");
/** Logs of servers and builds, reports, and the bundles of tests with their code caches. */
const outputs = [logs, join(root, "reports"), join(root, "dist/tests")];
/** What .ci/run keeps of each step's output, this run's too: what a run prints is searched while it prints. */
const printed = join(logs, "ci");

/** Runs once when all tests are done, and fails the run if anything that it wrote holds a secret. */
export default function searchTheRun(): void {
  const lines = takeRecord();
  const planted = lines.flatMap((line) => ("planted" in line ? [line.planted] : []));
  const left = lines.flatMap((line) => ("folder" in line ? [line.folder] : []));
  const since = Date.now() - process.uptime() * 1000;
  const found = [
    ...lines.flatMap((line) => ("found" in line ? [`${line.where}: ${line.found} (${line.test})`] : [])),
    ...left.flatMap((folder) => searchFolder(folder, planted)).map((file) => `${file}: a secret in a file`),
    ...outputs
      .flatMap((folder) => searchFolder(folder, [...planted, printed], since))
      .map((file) => `${file}: a secret in a log`),
  ];
  if (found.length > 0) throw new Error(`the tests wrote secrets where none may be:\n${found.join("\n")}`);
}

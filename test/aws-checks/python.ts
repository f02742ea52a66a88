import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { installed, installedProgram } from "../e2e/servers/installed";

/** Which virtual environment of `npm run servers`: the emulators' has botocore and cfn-lint. */
const pythons = {
  botocore: () => join(dirname(installed().moto), "python3"),
  scanners: () => installedProgram("scannersPython"),
} as const;

/** Runs a script of this folder, with JSON as its input and its output. @throws Error with what it printed */
export function runPython<Output>(which: keyof typeof pythons, script: string, input: unknown): Output {
  const output = execFileSync(pythons[which](), [join(__dirname, script)], {
    input: JSON.stringify(input),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], PYTHONDONTWRITEBYTECODE: "1" },
  });
  return JSON.parse(output) as Output;
}

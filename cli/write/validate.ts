import { createReadStream } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { Command, Option } from "commander";
import { escapeLine } from "../../lib/k8s/escape-terminal";
import { kinds } from "../../lib/model/entry/kinds";
import { validateHpaJson } from "../../lib/k8s/validate/validate-hpa";
import { addFilenameOption } from "../shell/input/document-options";
import { present } from "../../lib/k8s/map";
import { sourcesAmong } from "./documents/check-document";
import { periodIn } from "./documents/check-timeouts";
import { skippedText } from "./documents/foreign";
import { type CheckedInputs, checkGiven, checkUsable, validAmong } from "./documents/read-given";
import {
  type Input,
  isClosedPipe,
  isOfFile,
  readInputs,
  refuseStdinTwice,
  unreadable,
} from "../shell/input/read-inputs";
import { readAll } from "../shell/input/read-bytes";
import { unorderedWarnings } from "./entry-warnings";
import { objectName } from "./report";
import { answerLines, lineLimitOption, type Lines } from "../understand/evaluate/answer-lines";
import { failure, isFailure } from "../shell/failure";
import { examples } from "../shell/help";
import type { CliEnvironment } from "../shell/environment";

/** `name` is for messages. */
export interface ValidateStreams {
  readonly name: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: Writable;
}

export function validateCommand(environment: CliEnvironment): Command {
  const command = new Command("validate");
  return addFilenameOption(command)
    .description(
      "Check HorizontalPodAutoscalers (as the API server would), Clusters and MetricSources in YAML or JSON.",
    )
    .argument("[FILE...]", "files, folders or URLs with any number of documents; - for standard input")
    .option("-R, --recursive", "also read the subfolders of a folder")
    .option("--import-keda", "also convert and check KEDA's ScaledObjects")
    .addOption(
      new Option(
        "--jsonl",
        "read one JSON document per line; answer each with {errors, spec?}, the spec with its defaults",
      ).conflicts(["recursive", "importKeda"]),
    )
    .addOption(lineLimitOption("with --jsonl: "))
    .addHelpText(
      "after",
      examples([
        ["The documents of a file", "ebb validate hpa.yaml"],
        ["All HPAs of a cluster", "kubectl get hpa -A -o yaml | ebb validate -"],
      ]),
    )
    .action(async (named: readonly string[], { filename = [], jsonl, lineLimit, ...options }: ValidateOptions) => {
      if (jsonl !== true && lineLimit !== undefined) throw failure("--line-limit is for --jsonl: add it");
      const { stdin, stdout: output, stderr: errors, exitWith } = environment;
      const files = [...named, ...filename];
      if (files.length === 0)
        throw failure(
          "expected files, folders or URLs to check, such as `ebb validate hpa.yaml`, or - for standard input",
        );
      refuseStdinTwice(files);
      const leaveOut = (why: string) => {
        errors.write(`error: ${escapeLine(why)}\n`);
        exitWith(1);
      };
      for (const file of files) {
        try {
          const inputs = jsonl === true ? [] : await readInputs([file], { ...options, stdin, leaveOut });
          if (jsonl !== true && inputs.length === 0) continue;
          const { invalid } =
            jsonl === true
              ? await validateLines({ ...streamOf(file, stdin), output, errors, ...(lineLimit && { lineLimit }) })
              : validateInputs(inputs, { ...options, name: file, output, errors });
          if (invalid > 0) exitWith(1);
        } catch (error) {
          if (isClosedPipe(error)) return;
          const failed = isOfFile(error) ? unreadable(file, error) : error;
          if (files.length === 1 || !isFailure(failed)) throw failed;
          leaveOut(failed.message);
        }
      }
    });
}

interface ValidateOptions extends Pick<Lines, "lineLimit"> {
  readonly filename?: readonly string[];
  readonly jsonl?: boolean;
  readonly recursive?: boolean;
  readonly importKeda?: boolean;
}

function streamOf(file: string, stdin: Readable): Pick<ValidateStreams, "name" | "input"> {
  if (file === "-") return { name: "standard input", input: stdin };
  return { name: file, input: createReadStream(file) };
}

/** One line for each valid document, and for each problem. Rejects if a stream fails. */
export async function validateFile({ name, input, output, errors }: ValidateStreams): Promise<{ invalid: number }> {
  return validateInputs([{ name, text: await readAll(input, name) }], { name, output, errors });
}

interface Validating extends Pick<ValidateStreams, "name" | "output" | "errors"> {
  readonly importKeda?: boolean;
}

function validateInputs(inputs: readonly Input[], given: Validating): { invalid: number } {
  const { name, output, errors, importKeda = false } = given;
  const { checked, skipped, notes } = checkGiven(inputs, { namespace: "default", importKeda });
  for (const note of notes) errors.write(`Warning: ${escapeLine(note)}\n`);
  if (skipped.length > 0) errors.write(`${escapeLine(`${name}: ${skippedText(skipped)}`)}\n`);
  const sources = sourcesAmong(validAmong(checked));
  const periodSeconds = periodAmong(checked);
  const documents = checked.map((document) =>
    checkUsable(document, {
      known: sources,
      settings: { table: undefined },
      ...present({ periodSeconds: periodSeconds(document) }),
    }),
  );
  const nothing = { problems: [`${name}:1:1: no document found, expected one of ${Object.keys(kinds).join(", ")}`] };
  let invalid = 0;
  for (const document of documents.length + skipped.length + notes.length === 0 ? [nothing] : documents) {
    if ("problems" in document) {
      invalid += 1;
      errors.write(`${document.problems.map(escapeLine).join("\n")}\n`);
    } else {
      output.write(`${objectName(withPrefix(document))} valid\n`);
      for (const warning of unorderedWarnings(document)) errors.write(`Warning: ${escapeLine(warning)}\n`);
    }
  }
  return { invalid };
}

/** The server makes a name of generateName. */
function withPrefix({ ref, document }: Exclude<Checked, { readonly problems: readonly string[] }>) {
  const { generateName = "" } = document["metadata"] as { readonly generateName?: string };
  return ref.name === "" ? { ...ref, name: `${generateName}…` } : ref;
}

type Checked = CheckedInputs["checked"][number];

/** The period of the cluster that a document names, else of the only one given. Undefined: the default. */
function periodAmong(checked: readonly Checked[]): (document: Checked) => number | undefined {
  const clusters = checked.flatMap((one) => ("ref" in one && one.ref.kind === "Cluster" ? [one] : []));
  return (document) => {
    const named = "ref" in document ? document.ref.cluster : undefined;
    const own =
      named === undefined && clusters.length === 1 ? clusters[0] : clusters.find(({ ref }) => ref.name === named);
    return own && periodIn(own.document["spec"]);
  };
}

/** A line that is not JSON gets an error like any other. Rejects if a stream fails. */
export async function validateLines(lines: ValidateStreams & Pick<Lines, "lineLimit">): Promise<{ invalid: number }> {
  let invalid = 0;
  await answerLines(lines, (line) => {
    const answer =
      typeof line === "string" ? answerLine(line) : { errors: [`document: Invalid value: ${line.problem}`] };
    if (answer.errors.length > 0) invalid += 1;
    return JSON.stringify(answer);
  });
  return { invalid };
}

function answerLine(line: string): { readonly errors: readonly string[]; readonly spec?: object } {
  try {
    const { errors, hpa } = validateHpaJson(line);
    return hpa === undefined ? { errors } : { errors, spec: hpa.spec };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { errors: [`document: Invalid value: expected JSON: ${error.message}`] };
  }
}

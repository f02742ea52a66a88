import { createReadStream } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { Command } from "commander";
import { kinds } from "../lib/model/kinds";
import { validateHpa } from "../lib/k8s/validate/validate-hpa";
import { checkSource } from "./documents/check-source";
import { readDocuments } from "./documents/read-documents";
import { lines } from "./evaluate/lines";
import { examples } from "./help";

/** One input and where the answers go. `name` is what messages call the input. */
export interface ValidateStreams {
  readonly name: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: Writable;
}

/** `ebb validate FILE…`: whether these documents could be applied, and what the API server would say if not. */
export function validateCommand(): Command {
  const command = new Command("validate");
  return command
    .description(
      "Check HorizontalPodAutoscalers (as the API server would), Clusters and MetricSources in YAML or JSON.",
    )
    .argument("<FILE...>", "files with any number of documents; - for standard input")
    .option("--jsonl", "one JSON document a line; answer each with {errors, spec?}, the spec defaulted")
    .addHelpText(
      "after",
      examples([
        ["The documents of a file", "ebb validate hpa.yaml"],
        ["What a cluster has", "kubectl get hpa -A -o yaml | ebb validate -"],
      ]),
    )
    .action(async (files: readonly string[], { jsonl }: { readonly jsonl?: boolean }) => {
      const validate = jsonl === true ? validateLines : validateFile;
      for (const file of files) {
        const input = file === "-" ? process.stdin : createReadStream(file);
        const name = file === "-" ? "standard input" : file;
        try {
          const { invalid } = await validate({ name, input, output: process.stdout, errors: process.stderr });
          if (invalid > 0) process.exitCode = 1;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === "EPIPE") return; // whoever reads has seen enough
          command.error(`error: ${name}: ${(error as Error).message}`);
        }
      }
    });
}

/** A line on `output` for each valid document, one on `errors` for each problem. Rejects when a stream fails. */
export async function validateFile({ name, input, output, errors }: ValidateStreams): Promise<{ invalid: number }> {
  const documents = readDocuments(await text(input)).map((source) =>
    checkSource(source, { input: name, namespace: "default" }),
  );
  const nothing = { problems: [`${name}:1:1: no document found, expected one of ${Object.keys(kinds).join(", ")}`] };
  let invalid = 0;
  for (const document of documents.length === 0 ? [nothing] : documents) {
    if ("problems" in document) {
      invalid += 1;
      errors.write(`${document.problems.join("\n")}\n`);
    } else output.write(`${kinds[document.kind].singular}/${document.name} valid\n`);
  }
  return { invalid };
}

/**
 * One answer a line, in order. A line that is no JSON is answered like any other error. Rejects when a stream fails.
 */
export async function validateLines({ input, output }: ValidateStreams): Promise<{ invalid: number }> {
  let invalid = 0;
  async function* answers(documents: AsyncIterable<string>) {
    for await (const line of documents) {
      const answer = answerLine(line);
      if (answer.errors.length > 0) invalid += 1;
      yield `${JSON.stringify(answer)}\n`;
    }
  }
  await pipeline(input, lines, answers, output, { end: false });
  return { invalid };
}

function answerLine(line: string): { readonly errors: readonly string[]; readonly spec?: object } {
  let document: unknown;
  try {
    document = JSON.parse(line);
  } catch (error) {
    return { errors: [`document: Invalid value: expected JSON: ${(error as Error).message}`] };
  }
  const { errors, hpa } = validateHpa(document);
  return hpa === undefined ? { errors } : { errors, spec: hpa.spec };
}

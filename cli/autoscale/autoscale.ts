import { randomUUID } from "node:crypto";
import { Command, InvalidArgumentError, Option } from "commander";
import type { HorizontalPodAutoscaler } from "../../lib/k8s/hpa";
import { validateHpa } from "../../lib/k8s/validate/validate-hpa";
import { kinds } from "../../lib/model/entry/kinds";
import type { EntryDocument, StoredEntry } from "../../lib/table/items/entry-item";
import { nextEntry } from "../../lib/table/next-entry";
import { resolveSettings } from "../config/settings";
import { type DryRun, dryRunOption, dryRunSuffix } from "../documents/document-options";
import { type ObjectFormat, formatObjects, objectFormats, objectName } from "../documents/format-objects";
import { failure, serverFailure } from "../failure";
import { addGlobalOptions, globalOptions } from "../global-options";
import { refuseUnregistered } from "../apply/refuse-unusable";
import { examples } from "../help";
import { type Output, openOutput } from "../output";
import { type Session, withSession } from "../session";
import type { Surroundings } from "../surroundings";
import { type HpaOptions, hpaOf } from "./hpa-of";

/** Creates an entry, unless this is a dry run, and returns it. @throws Failure when the entry exists */
export async function createEntry(
  { ref, document }: Pick<StoredEntry, "ref" | "document">,
  { entries, signal, now }: Pick<Session, "entries" | "signal" | "now">,
  isDryRun: boolean,
): Promise<EntryDocument> {
  const exists = () => serverFailure("AlreadyExists", `${kinds[ref.kind].plural} "${ref.name}" already exists`);
  const next = nextEntry(undefined, document, { at: now(), uid: randomUUID() });
  if (isDryRun) {
    if ((await entries.get(ref, signal)) !== undefined) throw exists();
    return next.document;
  }
  const outcome = await entries.put({ ref, document: next.document }, "nothing", signal);
  if (!outcome.done) throw exists();
  return next.document;
}

interface AutoscaleOptions extends HpaOptions {
  readonly dryRun: DryRun;
  readonly output?: ObjectFormat;
}

/** `ebb autoscale`: an HPA for a workload, without writing a file. */
export function autoscaleCommand(surroundings: Surroundings): Command {
  const command = new Command("autoscale")
    .description(
      "Create a HorizontalPodAutoscaler for a deployment, stateful set, replica set, replication controller or custom resource.",
    )
    .argument("<target...>", "TYPE NAME or TYPE/NAME")
    .option("--min <pods>", "the fewest pods; 0 needs --sqs (default: 1)", wholeNumber, -1)
    .option("--max <pods>", "the most pods; required", wholeNumber, -1)
    .option("--cpu <target>", "CPU: 70% of what the pods request, or 500m for each pod")
    .addOption(
      new Option("--cpu-percent <percent>", "as --cpu, in percent").argParser(wholeNumber).default(-1).hideHelp(),
    )
    .option("--memory <target>", "memory: 60% of what the pods request, or 200Mi for each pod")
    .option("--sqs <queue>", "scale on an SQS queue: its name, URL or ARN")
    .option("--per-replica <messages>", "with --sqs: the number of messages for each pod")
    .option("--queue-region <region>", "with --sqs: the queue's region, if it is not the function's")
    .option("--name <name>", "the HPA's name (default: the target's)")
    .option(
      "--api-version <version>",
      "the version of a custom resource, as in Rollout/web --api-version argoproj.io/v1alpha1",
    )
    .addOption(dryRunOption())
    .addOption(new Option("-o, --output <format>", "print the object").choices(objectFormats))
    .addHelpText(
      "after",
      examples([
        ["Between 2 and 10 pods, at 80% CPU", "ebb autoscale deployment web --min 2 --max 10 --cpu 80%"],
        ["On CPU and memory for each pod", "ebb autoscale sts/db --max 6 --cpu 500m --memory 200Mi"],
        [
          "Consumers of a queue, none while it is empty",
          "ebb autoscale deploy worker --min 0 --max 20 --sqs orders --per-replica 5",
        ],
        ["As a file", "ebb autoscale deploy web --max 5 --cpu 70% --dry-run -o yaml"],
      ]),
    );
  return addGlobalOptions(command).action(async (args: readonly string[], options: AutoscaleOptions, self: Command) => {
    const { namespace } = await resolveSettings(globalOptions(self), surroundings.env);
    const document = hpaOf(args, options, namespace);
    const { hpa, errors } = validateHpa(document);
    if (hpa === undefined)
      throw failure(`The HorizontalPodAutoscaler "${document.metadata.name}" is invalid: ${errors.join("; ")}`);
    if (options.dryRun === "client") {
      // What would be sent, without defaults: this needs no table.
      return printResult(openOutput(surroundings, globalOptions(self).color), {
        document,
        verb: "created",
        ...options,
      });
    }
    await withSession(surroundings, self, async (session) => {
      const { kind, metadata, ...rest } = hpa;
      const ref = {
        kind: "HorizontalPodAutoscaler",
        cluster: await session.cluster(),
        namespace,
        name: metadata.name,
      } as const;
      await refuseUnregistered([{ kind: ref.kind, name: ref.name, ref }], session);
      const created = await createEntry(
        { ref, document: { kind, metadata, ...rest } },
        session,
        options.dryRun !== "none",
      );
      printResult(session.out, { document: created, verb: "autoscaled", ...options });
    });
  });
}

interface Printed extends Pick<AutoscaleOptions, "dryRun" | "output"> {
  readonly document: object;
  readonly verb: string;
}

function printResult(out: Output, { document, verb, dryRun, output }: Printed): void {
  const { name } = (document as HorizontalPodAutoscaler).metadata;
  const object = { kind: "HorizontalPodAutoscaler", name, document: { ...document } } as const;
  if (output === undefined) out.print(`${objectName(object)} ${verb}${dryRunSuffix[dryRun]}`);
  else out.write(formatObjects([object], output));
}

function wholeNumber(text: string): number {
  if (!/^[+-]?\d{1,10}$/.test(text) || Math.abs(Number(text)) >= 2 ** 31)
    throw new InvalidArgumentError("expected a whole number");
  return Number(text);
}

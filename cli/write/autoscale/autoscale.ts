import { Command, InvalidArgumentError, Option } from "commander";
import { validateHpa } from "../../../lib/k8s/validate/validate-hpa";
import { refuseUnregistered } from "../refuse-unusable";
import { resolveSettings } from "../../shell/settings";
import { failure } from "../../shell/failure";
import { addGlobalOptions, globalOptions } from "../../shell/global-options";
import { examples } from "../../shell/help";
import { openOutput } from "../../shell/output";
import { withSession } from "../../shell/session";
import type { CliEnvironment } from "../../shell/environment";
import { create } from "../file-verbs";
import { addReportOptions, openReport, type ReportOptions } from "../report";
import { type HpaOptions, hpaOf } from "./hpa-of";

interface AutoscaleOptions extends HpaOptions, ReportOptions {}

export function autoscaleCommand(environment: CliEnvironment): Command {
  const command = new Command("autoscale")
    .description(
      "Create a HorizontalPodAutoscaler for a deployment, stateful set, replica set, replication controller or custom resource.",
    )
    .argument("[target...]", "TYPE NAME or TYPE/NAME")
    .option("--min <pods>", "the fewest pods; 0 needs --sqs (default: 1)", wholeNumber, -1)
    .option("--max <pods>", "the most pods; required", wholeNumber)
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
  return addGlobalOptions(addReportOptions(command)).action(
    async (args: readonly string[], options: AutoscaleOptions, self: Command) => {
      const { namespace } = await resolveSettings(globalOptions(self), environment.env);
      const out = openOutput(environment, globalOptions(self).color);
      if (self.getOptionValueSource("cpuPercent") === "cli") out.note(deprecated);
      const document = hpaOf(args, options, namespace);
      const { hpa, errors } = validateHpa(document);
      if (hpa === undefined)
        throw failure(`The HorizontalPodAutoscaler "${document.metadata.name}" is invalid: ${errors.join("; ")}`);
      const object = { kind: "HorizontalPodAutoscaler", name: document.metadata.name } as const;
      if (options.dryRun === "client") {
        // Without defaults, as it would be sent: this needs no table.
        const report = await openReport(out, options);
        return report.done({ ref: object, document: { ...document } }, "created");
      }
      await withSession(environment, self, async (session) => {
        const { kind, metadata, ...rest } = hpa;
        const report = await openReport(session.out, options);
        const ref = { ...object, cluster: await session.cluster(), namespace };
        await refuseUnregistered([{ ref }], session);
        const created = await create({ ref, document: { kind, metadata, ...rest } }, session, options);
        report.done({ ref, document: created }, "autoscaled");
      });
    },
  );
}

/** Upstream: kubectl pkg/cmd/autoscale/autoscale.go */
const deprecated =
  "Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).";

function wholeNumber(text: string): number {
  if (!/^[+-]?\d{1,10}$/.test(text) || Math.abs(Number(text)) >= 2 ** 31)
    throw new InvalidArgumentError("expected a whole number");
  return Number(text);
}

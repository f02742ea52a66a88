import type { Command } from "commander";
import { formatTable } from "../../shell/print/get-row";
import { failure } from "../../shell/failure";
import type { Listing } from "../../../lib/read/find";
import { alignFor } from "../../shell/print/fit-columns";
import type { Found } from "../../../lib/read/found";
import { outputFormat, printObjects } from "../../shell/print/output-format";
import { noteNothing, locationOf } from "../../shell/input/find";
import { queriesOf } from "../../write/documents/query-files";
import type { Session } from "../../shell/session";
import { type CommandLine, tableVerb } from "../../shell/table-verb";
import type { CliEnvironment } from "../../shell/environment";
import { cellsOf, headerOf, type TableStyle } from "./columns";
import { addGetOptions, type GetOptions, read, reportMissing } from "./read-hpas";
import { objectPrinter, rowPrinter, watch } from "./watch";

export function getCommand(environment: CliEnvironment): Command {
  return tableVerb<GetOptions>(environment, {
    name: "get",
    summary: "Show clusters, HPAs, metric sources or events.",
    description: "Show one or many of clusters, hpa, sources, events, as kubectl shows them.",
    arguments: [["[TYPE | TYPE/NAME]", "clusters, hpa, sources, events"], ["[NAME...]"]],
    options: (command) =>
      addGetOptions(command).addHelpText(
        "after",
        "\nOn a terminal, tables are cut to its width: -o wide, or a pipe, has them whole.",
      ),
    examples: [
      ["The HPAs of a namespace", "ebb get hpa -n shop"],
      ["All HPAs of all namespaces with the label app=web", "ebb get hpa -A -l app=web"],
      ["One HPA as YAML, its status included", "ebb get hpa web -o yaml"],
      ["The same in the form of autoscaling/v1", "ebb get horizontalpodautoscalers.v1.autoscaling web -o yaml"],
      ["Follow what changes", "ebb get hpa -w"],
      ["What happened to an HPA", "ebb get events --for hpa/web"],
      [
        "Names and sizes",
        `ebb get hpa -o jsonpath='{range .items[*]}{.metadata.name}={.status.currentReplicas}{"\\n"}{end}'`,
      ],
    ],
    run: get,
  });
}

async function get(session: Session, line: CommandLine<GetOptions>): Promise<number> {
  const { options } = line;
  const format = await outputFormat(options.output);
  if (format.kind !== "table" && options.showLabels === true)
    throw failure(`--show-labels option cannot be used with ${options.output} printer`);
  const targets = await queriesOf(session, line);
  const style: TableStyle = {
    wide: format.kind === "table" && format.wide,
    headers: options.headers,
    showLabels: options.showLabels ?? false,
    labelColumns: options.labelColumns ?? [],
    typedNames: options.showKind ?? new Set(targets.map(({ resource }) => resource.name)).size > 1,
  };
  if (options.watch === true) {
    const { out } = session;
    const print =
      format.kind === "table"
        ? rowPrinter(out, {
            headers: style.headers,
            whole: style.wide,
            headerOf: (scope) => headerOf(scope, style),
            cellsOf: ({ scope, found }) => cellsOf(found, scope, style),
          })
        : objectPrinter(out, format, style.headers);
    await watch({ session, look: () => read(session, targets, options), print, showsDeleted: true });
    return 0;
  }
  const findings = await session.out.during("Reading the table", read(session, targets, options));
  if (format.kind === "table") await printTables(session, findings, style);
  else {
    const objects = findings.flatMap(({ scope, found }) => found.map((one) => ({ scope, found: one })));
    const single = targets.length === 1 && targets[0]?.names?.length === 1;
    const { terminal } = session.out;
    const list = { single: single && objects.length === 1, headers: options.headers, terminal };
    // Only a table marks invalid objects.
    for (const { found } of objects) if ("invalid" in found) session.out.warn(invalidText(found));
    if (objects.length > 0 || !single) session.out.write(printObjects(objects, format, list));
  }
  return (await reportMissing(session, findings, options.ignoreNotFound ?? false)) ? 1 : 0;
}

function invalidText({ namespace, name, invalid }: Extract<Found, { readonly invalid: unknown }>): string {
  const called = namespace === undefined ? name : `${namespace}/${name}`;
  return `HPA ${called} is invalid, and ebb does not sync it: ${invalid.join("; ")}`;
}

async function printTables(session: Session, findings: readonly Listing[], style: TableStyle): Promise<void> {
  const full = findings.filter(({ found }) => found.length > 0);
  const tables = full.map(({ scope, found }) => {
    const header = headerOf(scope, style);
    const rows = found.map((one) => cellsOf(one, scope, style));
    const terminal = style.wide ? undefined : session.out.terminal;
    return formatTable(style.headers ? header : undefined, rows, alignFor(terminal, header));
  });
  session.out.write(tables.join("\n"));
  const [first] = findings;
  if (full.length === 0 && first && findings.every(({ scope }) => scope.names === undefined))
    await noteNothing(session, locationOf(first.scope));
}

import { Command } from "commander";
import { withDefaults } from "../lib/api/defaults";
import { formatTable, getColumns, getRow } from "../lib/api/printing/get-row";
import { validateHpa } from "../lib/api/validate-hpa";
import type { Table } from "../lib/table/reads";
import { openStore } from "../lib/table/store";
import { examples } from "./examples";
import { addGlobalOptions } from "./global-options";
import { withSession } from "./session";
import type { Surroundings } from "./surroundings";

/** `ebb get hpa`: all HPAs of the table at a glance, in the columns of `kubectl get hpa`. */
export function getCommand(surroundings: Surroundings): Command {
  const hpa = new Command("hpa")
    .description("All HPAs of all clusters, with their latest status.")
    .addHelpText("after", examples([["All HPAs of the table", "ebb get hpa"]]));
  hpa.action((_options, command: Command) =>
    withSession(surroundings, command, ({ table, out }) => printHpas(table, (text) => out.print(text))),
  );
  return new Command("get").description("Show what the table holds, at a glance.").addCommand(addGlobalOptions(hpa));
}

/** Prints a row for each HPA. One that is no usable HPA has a row, too, which says so; its condition has the details. */
export async function printHpas({ client, name }: Table, print: (text: string) => void): Promise<void> {
  const now = Date.now();
  const store = openStore({ client, table: name, now: () => now });
  const signal = AbortSignal.timeout(30_000);
  const clusters = await store.clusters(signal);
  const rows = await Promise.all(
    clusters.map(async ({ key: cluster }) => {
      const { hpas, states } = await store.load({ cluster, from: "", to: null }, signal);
      return hpas.map(({ key, document }) => {
        const [namespace = "", name = ""] = key.split("/");
        const { hpa, errors } = validateHpa(document, { assumeKind: true });
        const cells =
          hpa === undefined || errors.length > 0
            ? [name, "<invalid>", errors[0] ?? "", "", "", "", ""]
            : getRow({ ...withDefaults(hpa), status: states[key]?.status ?? {} }, now);
        return [cluster, namespace, ...cells];
      });
    }),
  );
  const all = rows.flat();
  print(all.length === 0 ? "No HPAs found." : formatTable(["CLUSTER", "NAMESPACE", ...getColumns], all).trimEnd());
}

import clusterSchema from "../../docs/schema/cluster.json";
import hpaSchema from "../../docs/schema/hpa.json";
import sourceSchema from "../../docs/schema/metric-source.json";
import { clusterFile } from "./cluster-file";
import { cpuFile, queueFile, sourceFile } from "./hpa-files";
import { schemaFolder, type Starter } from "./starter";

/** The files that a user begins with, and goes on to own: contents by name. */
export function starterFiles(starter: Starter): Readonly<Record<string, string>> {
  return {
    "cluster.yaml": clusterFile(starter),
    "hpa-queue.yaml": queueFile(starter),
    "hpa-cpu.yaml": cpuFile(starter),
    "source.yaml": sourceFile(starter),
  };
}

/** What editors check those files with; a newer ebb puts newer ones in their place. */
export function schemaFiles(): Readonly<Record<string, string>> {
  const schemas = { "cluster.json": clusterSchema, "hpa.json": hpaSchema, "metric-source.json": sourceSchema };
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      `${schemaFolder}/${name}`,
      `${JSON.stringify(schema, null, 2)}\n`,
    ]),
  );
}

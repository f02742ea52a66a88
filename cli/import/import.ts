import { Command } from "commander";
import { importHpaCommand } from "./import-hpa";
import { importKedaCommand } from "./import-keda";
import type { Surroundings } from "../surroundings";

/** `ebb import`: other autoscalers' objects as entries. */
export function importCommand(surroundings: Surroundings): Command {
  return new Command("import")
    .description("Convert a cluster's HorizontalPodAutoscalers or KEDA's ScaledObjects to entries.")
    .addCommand(importHpaCommand(surroundings))
    .addCommand(importKedaCommand(surroundings));
}

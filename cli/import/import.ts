import { Command } from "commander";
import { importHpaCommand } from "./import-hpa";
import { importKedaCommand } from "./import-keda";
import type { Surroundings } from "../surroundings";

/** `ebb import`: other autoscalers' objects as entries. */
export function importCommand(surroundings: Surroundings): Command {
  return new Command("import")
    .description("Make entries of a cluster's HorizontalPodAutoscalers or of KEDA's ScaledObjects.")
    .addCommand(importHpaCommand(surroundings))
    .addCommand(importKedaCommand(surroundings));
}

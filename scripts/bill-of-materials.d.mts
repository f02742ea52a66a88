import type { BundledPackage } from "./bundled-packages.mjs";

export function billOfMaterials(packages: readonly BundledPackage[]): Promise<string>;

export interface BundledPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Paths below dist/. */
  readonly bundles: readonly string[];
}

/** The part of esbuild's metafile that is read here. */
export interface Metafile {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

export function bundledPackages(metafiles: Readonly<Record<string, Metafile>>): Promise<readonly BundledPackage[]>;
export function licenceProblems(packages: readonly BundledPackage[]): readonly string[];
export function noticesOf(packages: readonly BundledPackage[]): Promise<string>;

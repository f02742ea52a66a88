import vm from "node:vm";

/**
 * Jest compiles each module again for each test file. Most are compiled many times in a process: from its third time
 * on, a module is read from V8's code cache, which takes an eighth of the time (1.5 MB of sources: 3 ms, not 25). Node
 * 24 keeps compiled code by itself, and gains nothing here.
 */
interface Compiled {
  readonly source: string;
  /** From the second time on: most modules of one test file are not compiled again. */
  readonly code?: Buffer | undefined;
}

type Compile = typeof vm.compileFunction;
const patched = Symbol.for("ebb.test.compiledModules");

/** Node's own object, which all test files of a process share. */
const shared = vm as { compileFunction: Compile; [patched]?: true };
if (shared[patched] === undefined) {
  shared[patched] = true;
  shared.compileFunction = compileOnce(vm.compileFunction);
}

function compileOnce(compile: Compile): Compile {
  const known = new Map<string, Compiled>();
  return (source, parameters, options) => {
    const file = options?.filename;
    if (file === undefined) return compile(source, parameters, options);
    const before = known.get(file);
    // V8 itself compares only lengths.
    if (before?.source !== source) {
      known.set(file, { source });
      return compile(source, parameters, options);
    }
    if (before.code !== undefined) return compile(source, parameters, { ...options, cachedData: before.code });
    const compiled = compile(source, parameters, { ...options, produceCachedData: true });
    // A copy: V8's own buffer belongs to the test file's realm, and keeps all of it in memory.
    known.set(file, { source, code: compiled.cachedData && Buffer.from(compiled.cachedData) });
    return compiled;
  };
}

/**
 * Preloaded into each `ebb` that a test starts: V8's code of a bundle is kept beside it. Compiling a bundle takes more
 * time than most commands need. Node 22 and newer can do it by themselves (NODE_COMPILE_CACHE).
 */
const { existsSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname } = require("node:path");
const { Script } = require("node:vm");

const bundles = process.env.EBB_TEST_BUNDLES;
const compile = Module.prototype._compile;

Module.prototype._compile = function (source, filename, ...rest) {
  if (dirname(filename) !== bundles) return compile.call(this, source, filename, ...rest);
  const kept = `${filename}.code`;
  const cachedData = existsSync(kept) ? readFileSync(kept) : undefined;
  const script = new Script(Module.wrap(source.replace(/^#!.*/, "")), { filename, cachedData });
  // At the end, so that the code of the functions that ran is in it, too.
  if (cachedData === undefined || script.cachedDataRejected) process.once("exit", () => keep(script, kept));
  const require = Module.createRequire(filename);
  return script.runInThisContext().call(this.exports, this.exports, require, this, filename, dirname(filename));
};

/** Several processes may do this at a time. */
function keep(script, file) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, script.createCachedData());
  renameSync(draft, file);
}

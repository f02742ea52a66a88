import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import vm from "node:vm";
import { build } from "esbuild";

// Waiting counts the event loop's own time, so that a busy machine ends no test.
const loopTime = "./test/time/loop-time.ts";

/** Compiles test files once. @returns what evaluates their modules, and returns one loader a test file */
export async function bundledTests(files) {
  const root = process.cwd(); // Stryker's copy of the project, with the mutants
  const entries = files.map((file) => `${JSON.stringify(file)}: () => require(${JSON.stringify(`./${file}`)})`);
  const { outputFiles } = await build({
    stdin: {
      contents: `require("${loopTime}");\nmodule.exports = { ${entries.join(",\n")} };`,
      resolveDir: root,
      loader: "js",
    },
    bundle: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    packages: "external",
    logLevel: "error",
    plugins: [ownFolder],
  });
  const source = `(function (require, module) {${outputFiles[0].text}\nreturn module.exports; })`;
  const run = new vm.Script(source, {
    filename: `${root}/tests.cjs`,
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }).runInThisContext();
  const require = createRequire(`${root}/package.json`);
  const made = new Map();
  return () => run(requireWith(require, made), { exports: {} });
}

/** The certificates of a test file cost more than most of its tests, so each of its runs gets the same. */
function requireWith(require, made) {
  const counts = new Map();
  const generate = (...given) => {
    const text = JSON.stringify(given);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    const key = `${count} ${text}`;
    if (!made.has(key)) made.set(key, require("selfsigned").generate(...given));
    return made.get(key);
  };
  return (name) => (name === "selfsigned" ? { generate } : require(name));
}

/** Tests find their data beside themselves. */
const ownFolder = {
  name: "own-folder",
  setup({ onLoad }) {
    onLoad({ filter: /\/test\/.*\.ts$/ }, async ({ path }) => {
      const contents = await readFile(path, "utf8");
      return { contents: `const __dirname = ${JSON.stringify(dirname(path))};\n${contents}`, loader: "ts" };
    });
  },
};

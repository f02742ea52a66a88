// `npm run test:faults -- --planted`: every planted bug must be found.
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { format, resolveConfig } from "prettier";
import { bugs } from "../test/faults/planted/bugs.mjs";

const foundFile = new URL("../test/faults/planted/found.json", import.meta.url);
const pageFile = new URL("../bench/results/planted-bugs.md", import.meta.url);

/**
 * Plants each chosen bug, and lives the story that is recorded for it in found.json. If that finds nothing, it lives
 * the kind's stories from the first one on, up to `within`. With `isSearch`, always does that, and writes what found
 * each bug to found.json and to the page of results. A bug with a `test` is for that file to find.
 *
 * @returns how many were missed.
 */
export async function findPlanted(tools, { names, isSearch }) {
  const known = JSON.parse(await readFile(foundFile, "utf8"));
  const chosen = bugs.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const name of names)
    if (!bugs.some((bug) => bug.name === name)) throw new Error(`expected the name of a planted bug, got ${name}`);
  const found = { ...known };
  const missed = [];
  const next = [...chosen];

  async function work() {
    for (let bug = next.shift(); bug !== undefined; bug = next.shift()) {
      const { name } = bug;
      const judge = bug.test === undefined ? liveStories : runTests;
      const end = await judge(tools, bug, isSearch ? undefined : known[name]).catch(doesNotFit);
      if (end.found === undefined) missed.push(name);
      else found[name] = end.found;
      const text = end.printed.trimEnd().replace(/^/gm, "        ");
      console.log(`${end.found === undefined ? "MISSED " : "found  "} ${name}${end.how ?? ""}\n${text}`);
    }
  }

  await Promise.all([work(), work()]);
  console.log(`${chosen.length} planted bugs, ${missed.length} missed ${missed.join(" ")}`);
  if (isSearch) await record(found);
  return missed.length;
}

/** esbuild's plugin says so, among its own words. */
function doesNotFit({ message }) {
  if (!/expected once, found|was not used/.test(message)) throw new Error(message);
  return { how: ": its change does not fit the code", printed: message };
}

async function liveStories({ bundle, run }, { name, kind, within, changes }, known) {
  const file = await bundle(`planted-${name}`, { kind, changes });
  const live = async (from, seeds) => {
    const args = [`--kind=${kind}`, `--from=${from}`, `--seeds=${seeds}`, "--quick"];
    const { printed, code } = await run(file, args, { isShown: false });
    const [, story, what] = /^\w+ (\d+): (.*)$/m.exec(printed) ?? [];
    if (story !== undefined) return { printed, found: { story: Number(story), what } };
    // A story of sizes may end its process.
    const hasEnded = kind === "size" && seeds === 1 && code !== 0;
    return { printed, ...(hasEnded && { found: { story: from, what: "heap: the process ended" } }) };
  };
  const recorded = known?.story;
  const again = recorded === undefined ? undefined : await live(recorded, 1);
  if (again?.found !== undefined) return again;
  let end = { printed: "" };
  for (const [from, seeds] of kind === "size" ? oneByOne(within) : [[1, within]]) {
    end = await live(from, seeds);
    if (end.found !== undefined) break;
  }
  if (end.found === undefined) return { ...end, how: `: ${within} stories of the kind ${kind} went well` };
  if (recorded === undefined) return end;
  return { ...end, how: `: story ${recorded} did not find it; run with --search to record another` };
}

const oneByOne = (stories) => Array.from({ length: stories }, (_, index) => [index + 1, 1]);

async function runTests({ bundleTest, runTest }, { name, test, changes }) {
  const printed = await runTest(await bundleTest(`planted-${name}`, { test, changes }));
  const [, what] = /^failed: (.*)$/m.exec(printed) ?? [];
  return what === undefined ? { printed, how: `: ${test}` } : { printed, found: { test, what } };
}

async function record(found) {
  const all = bugs.filter(({ name }) => Object.hasOwn(found, name));
  const kept = Object.fromEntries(all.map(({ name }) => [name, found[name]]));
  await writeFile(foundFile, `${JSON.stringify(kept, null, 2)}\n`);
  await writeFile(pageFile, await pageOf(kept));
}

/** "test/sync" of "test/sync/scale/act.test.ts" */
const roomOf = ({ test }) => test.split("/").slice(0, 2).join("/");

/** How many bugs each kind of story finds, and the tests of each room. found.json has them by name. */
export async function pageOf(found) {
  const all = bugs.filter(({ name }) => Object.hasOwn(found, name));
  const byStories = all.filter(({ test }) => test === undefined);
  const byTests = all.filter((bug) => !byStories.includes(bug));
  const kinds = [...new Set(byStories.map(({ kind }) => kind))].map((kind) => {
    const stories = byStories.filter((bug) => bug.kind === kind).map(({ name }) => found[name].story);
    return `${kind} ${stories.length} (${Math.max(...stories)})`;
  });
  const rooms = [...new Set(byTests.map(roomOf))].map(
    (room) => `\`${room}\` ${byTests.filter((bug) => roomOf(bug) === room).length}`,
  );
  const text = `# Planted bugs

\`npm run test:faults -- --planted --search\` writes this page. A planted bug is a change of \`lib\` (\`test/faults/planted/bugs.mjs\`), and \`test/faults/planted/found.json\` has the story and the
rule that find it, or the test that fails. ${byStories.length} of ${all.length} are found by [stories](../../test/faults/README.md) of one kind; in brackets are the stories that the slowest one took: ${kinds.join(", ")}.

For the other ${byTests.length}, the protocol makes up within a slot or two, or they are in what the simulator replaces. Unit tests find them: ${rooms.join(", ")}.
`;
  const options = await resolveConfig(pageFile);
  return format(text, { ...options, parser: "markdown" });
}

// Run alone, it writes the page from found.json; with --check, it only compares.
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const page = await pageOf(JSON.parse(await readFile(foundFile, "utf8")));
  if (!process.argv.includes("--check")) await writeFile(pageFile, page);
  else if (page !== (await readFile(pageFile, "utf8"))) {
    console.error("bench/results/planted-bugs.md is not what found.json says: run node scripts/planted-bugs.mjs");
    process.exitCode = 1;
  }
}

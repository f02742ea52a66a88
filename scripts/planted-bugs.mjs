// `npm run test:faults -- --planted`: every planted bug must be found.
import { readFile, writeFile } from "node:fs/promises";
import { format, resolveConfig } from "prettier";
import { bugs } from "../test/faults/planted/bugs.mjs";

const foundFile = new URL("../test/faults/planted/found.json", import.meta.url);
const tableFile = new URL("../docs/planted-bugs.md", import.meta.url);

/**
 * Plants each chosen bug and lives the story that is recorded for it in found.json. If that one does not find it, lives
 * its kind's stories from the first one on, up to `within`. With `isSearch`, always does that, and writes what found
 * each bug to found.json and to the table in docs.
 *
 * @returns how many were missed.
 */
export async function findPlanted({ bundle, run }, { names, isSearch }) {
  const known = JSON.parse(await readFile(foundFile, "utf8"));
  const chosen = bugs.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const name of names)
    if (!bugs.some((bug) => bug.name === name)) throw new Error(`expected the name of a planted bug, got ${name}`);
  const found = { ...known };
  const missed = [];
  const next = [...chosen];

  async function work() {
    for (let bug = next.shift(); bug !== undefined; bug = next.shift()) {
      const { name, kind, within, changes } = bug;
      let file;
      try {
        file = await bundle(`planted-${name}`, { kind, changes });
      } catch {
        missed.push(name);
        console.log(`MISSED  ${name}: its change does not fit the code`);
        continue;
      }
      const live = async (from, seeds) => {
        const args = [`--kind=${kind}`, `--from=${from}`, `--seeds=${seeds}`, "--quick"];
        const { printed, code } = await run(file, args, { isShown: false });
        const [, story, what] = /^\w+ (\d+): (.*)$/m.exec(printed) ?? [];
        // The process of the only story that it was to live.
        if (story === undefined && code !== 0 && seeds === 1)
          return { printed, story: from, what: "heap: the process ended" };
        return { printed, story: story && Number(story), what };
      };
      const recorded = isSearch ? undefined : known[name]?.story;
      let end = recorded === undefined ? undefined : await live(recorded, 1);
      if (end?.story === undefined)
        // A story of sizes may end its process.
        for (const [from, seeds] of kind === "size" ? each(within) : [[1, within]]) {
          end = await live(from, seeds);
          if (end.story !== undefined) break;
        }
      if (end.story === undefined) missed.push(name);
      else found[name] = { story: end.story, what: end.what };
      console.log(
        end.story === undefined
          ? `MISSED  ${name}: ${within} stories of the kind ${kind} went well\n${end.printed}`
          : `found   ${name}\n${end.printed.trimEnd().replace(/^/gm, "        ")}`,
      );
      if (recorded !== undefined && end.story !== recorded)
        console.log(`        ${name}: story ${recorded} did not find it; run with --search to record another`);
    }
  }

  await Promise.all([work(), work()]);
  console.log(`${chosen.length} planted bugs, ${missed.length} missed ${missed.join(" ")}`);
  if (isSearch) await record(found);
  return missed.length;
}

const each = (stories) => Array.from({ length: stories }, (_, index) => [index + 1, 1]);

async function record(found) {
  const all = bugs.filter(({ name }) => Object.hasOwn(found, name));
  const kept = Object.fromEntries(all.map(({ name }) => [name, found[name]]));
  await writeFile(foundFile, `${JSON.stringify(kept, null, 2)}\n`);
  const rows = all.map(({ name, kind, changes }) => {
    const { story, what } = kept[name];
    const files = [...new Set(changes.map(({ file }) => `\`${file}\``))].join(", ");
    return `| ${name.replaceAll("-", " ")} | ${files} | ${kind} | ${story} | ${what.split(":", 1)[0]} |`;
  });
  const text = `# Planted bugs

\`npm run test:faults -- --planted --search\` writes this page. Each row is a change of \`lib\` in \`test/faults/planted/bugs.mjs\`; the simulator
finds it in that many stories of that kind, counted from the first. [development.md](development.md#the-simulator) says what the kinds are.

| bug | planted in | kind of story | stories | rule that it breaks |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
  const options = await resolveConfig(tableFile);
  await writeFile(tableFile, await format(text, { ...options, parser: "markdown" }));
}

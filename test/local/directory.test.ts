import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { holdDirectory } from "../../local/hold-directory";
import { stored } from "../../local/directory";

let above: string;
let directory: string;
beforeEach(async () => {
  above = await mkdtemp(join(tmpdir(), "ebb-directory-"));
  directory = join(above, ".ebb");
});
afterEach(() => rm(above, { recursive: true }));

const modeOf = async (...path: readonly string[]) => (await stat(join(...path))).mode & 0o777;

test("a new one is its user's alone, and so are the folders above it that were missing", async () => {
  const deep = join(directory, "deep");
  const held = await holdDirectory(deep);
  await held.close();
  expect([held.wasOpen, await modeOf(directory), await modeOf(deep)]).toEqual([false, 0o700, 0o700]);
});

test("one that others could read or write is repaired, with what ebb keeps in it; other files stay", async () => {
  await mkdir(join(directory, stored.table), { recursive: true });
  for (const name of ["running.json", "simulation.json", "kubeconfig", "table/000003.log", "notes"]) {
    await writeFile(join(directory, name), "x");
    await chmod(join(directory, name), 0o666);
  }
  for (const folder of [directory, join(directory, "table")]) await chmod(folder, 0o777);
  const held = await holdDirectory(directory);
  await held.close();
  expect(held.wasOpen).toBe(true);
  const files = ["running.json", "simulation.json", "kubeconfig", "table/000003.log"];
  expect(await Promise.all(files.map((name) => modeOf(directory, name)))).toEqual(files.map(() => 0o600));
  expect(await Promise.all([modeOf(directory), modeOf(directory, "table")])).toEqual([0o700, 0o700]);
  expect(await modeOf(directory, "notes")).toBe(0o666);
});

test.each(Object.values(stored))("a link that somebody planted as %s is refused, and not followed", async (name) => {
  await mkdir(directory, { recursive: true });
  await writeFile(join(above, "victim"), "mine");
  await chmod(join(above, "victim"), 0o644);
  await symlink(join(above, "victim"), join(directory, name));
  await expect(holdDirectory(directory)).rejects.toMatchObject({
    kind: "forbidden",
    message: `${join(directory, name)}: expected a file or a folder, got a symbolic link: delete it`,
  });
  expect([await readFile(join(above, "victim"), "utf8"), await modeOf(above, "victim")]).toEqual(["mine", 0o644]);
});

test.each<[string, number]>([
  [".ebb", 0],
  [".ebb", 1],
  ["running.json", 2],
])("what belongs to another user is refused: %s", async (name, checksBefore) => {
  await mkdir(directory, { mode: 0o700 });
  await writeFile(join(directory, stored.run), "{}", { mode: 0o600 });
  const own = process.getuid?.() ?? 0;
  const getuid = jest.spyOn(process as { getuid(): number }, "getuid");
  for (let check = 0; check < checksBefore; check += 1) getuid.mockReturnValueOnce(own);
  getuid.mockReturnValue(own + 1);
  await expect(holdDirectory(directory)).rejects.toMatchObject({
    kind: "forbidden",
    message: expect.stringMatching(
      new RegExp(`${name}: expected .* of yours \\(user \\d+\\), got one of user ${own}$`),
    ) as string,
  });
  getuid.mockRestore();
});

test("a second ebb in the same directory is refused, until the first one ends", async () => {
  const first = await holdDirectory(directory);
  await expect(holdDirectory(directory)).rejects.toMatchObject({
    kind: "conflict",
    message: expect.stringMatching(/: process \d+ \(`.*`\) uses this directory: stop that one/) as string,
  });
  await first.close();
  await (await holdDirectory(directory)).close();
});

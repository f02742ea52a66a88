import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ebb } from "./run-ebb";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ebb-config-"));
  path = join(folder, "ebb", "config.yaml");
});

afterEach(() => rm(folder, { recursive: true }));

const config = (...args: readonly string[]) => ebb(["config", ...args], { env: { EBB_CONFIG: path } });

test("the first context becomes the current one, the next ones do not", async () => {
  expect((await config("set-context", "dev", "--table", "ebb-dev")).stdout).toBe('Context "dev" created.\n');
  await config("set-context", "prod", "--table", "ebb-prod", "--region", "eu-central-1", "-n", "shop");
  expect((await config("get-contexts")).stdout).toBe(
    [
      "CURRENT   NAME   TABLE      REGION         PROFILE   CLUSTER   NAMESPACE",
      "*         dev    ebb-dev                                       ",
      "          prod   ebb-prod   eu-central-1                       shop",
      "",
    ].join("\n"),
  );
  expect(await readdir(join(folder, "ebb"))).toEqual(["config.yaml"]);
});

test("the file is its user's alone, also if it was not", async () => {
  await config("set-context", "dev", "--table", "ebb-dev");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await chmod(path, 0o644);
  await config("set-context", "prod", "--table", "ebb-prod");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("a context is changed by the fields that are given, and comments stay", async () => {
  await config("set-context", "dev", "--table", "ebb-dev");
  await writeFile(path, `# mine\n${await readFile(path, "utf8")}`);
  expect((await config("set-context", "dev", "--namespace", "shop")).stdout).toBe('Context "dev" modified.\n');
  expect(await readFile(path, "utf8")).toBe(
    "# mine\ncontexts:\n  dev:\n    table: ebb-dev\n    namespace: shop\ncurrentContext: dev\n",
  );
});

test("use-context switches, to one that exists", async () => {
  await config("set-context", "dev", "--table", "ebb-dev");
  await config("set-context", "prod", "--table", "ebb-prod");
  expect((await config("use-context", "prod")).stdout).toBe('Switched to context "prod".\n');
  expect((await config("get-contexts")).stdout).toMatch(/^\* +prod /m);
  const { exitCode, stderr } = await config("use-context", "test");
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'error: no context exists with the name: "test"\n' });
});

test("a new context needs its table", async () => {
  const { exitCode, stderr } = await config("set-context", "dev", "--region", "eu-west-1");
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'error: context "dev" is new: it needs --table\n' });
});

describe("the contexts, as kubectl's config has them", () => {
  beforeEach(async () => {
    await config("set-context", "dev", "--table", "ebb-dev");
    await config("set-context", "prod", "--table", "ebb-prod");
  });
  const said = (stdout: string) => ({ stdout, stderr: "", exitCode: 0 });
  const refused = (message: string) => ({ stdout: "", stderr: `error: ${message}\n`, exitCode: 1 });

  test("current-context, rename-context, delete-context", async () => {
    expect(await config("current-context")).toEqual(said("dev\n"));
    expect(await config("rename-context", "dev", "test")).toEqual(said('Context "dev" renamed to "test".\n'));
    expect(await config("current-context")).toEqual(said("test\n"));
    expect(await config("get-contexts", "-o", "name")).toMatchObject({ exitCode: 0 });
    expect(await config("delete-context", "test")).toEqual({
      stdout: `deleted context test from ${path}\n`,
      stderr: 'warning: this removed your active context, use "ebb config use-context" to select a different one\n',
      exitCode: 0,
    });
    expect(await config("current-context")).toEqual(refused("current-context is not set"));
    expect(await config("get-contexts", "-o=name")).toEqual(said("prod\n"));
  });

  test("what there is not", async () => {
    expect(await config("delete-context", "x")).toEqual(refused(`cannot delete context x, not in ${path}`));
    expect(await config("rename-context", "x", "y")).toEqual(
      refused(`cannot rename the context "x", it's not in ${path}`),
    );
    expect(await config("rename-context", "dev", "prod")).toEqual(
      refused(`cannot rename the context "dev", the context "prod" already exists in ${path}`),
    );
    expect(await config("get-contexts", "x", "prod", "-o", "name")).toEqual({
      stdout: "prod\n",
      stderr: "error: context x not found\n",
      exitCode: 1,
    });
    expect(await config("delete-context", "constructor")).toMatchObject({ exitCode: 1 });
  });

  test("view prints the file, or the current context alone", async () => {
    expect((await config("view")).stdout).toBe(
      "contexts:\n  dev:\n    table: ebb-dev\n  prod:\n    table: ebb-prod\ncurrentContext: dev\n",
    );
    expect((await config("view", "--minify")).stdout).toBe(
      "contexts:\n  dev:\n    table: ebb-dev\ncurrentContext: dev\n",
    );
  });

  test("comments stay", async () => {
    await writeFile(path, "# mine\ncontexts:\n  a: { table: t } # the first\n  b: { table: u }\n");
    await config("rename-context", "b", "c");
    expect(await readFile(path, "utf8")).toMatch(/^# mine\ncontexts:\n {2}a: \{ table: t \} # the first\n {2}c:/);
  });
});

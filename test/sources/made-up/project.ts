import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "../../..");

/** What bundles and schemas are made of. */
const copied = ["cli", "compose.ts", "docs", "functions", "lib", "local", "package.json", "scripts", "tsconfig.json"];

/** The project with one more kind: its folder, and its lines in the two lists. Nothing else is changed. */
export function projectWithMadeUp() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ebb-made-up-")));
  for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "lib/sources/made-up"));
  for (const name of ["fields", "kind", "made-up", "describe"]) addFile(folder, name);
  list(folder, "registry", { from: "kind", name: "madeUp", before: "  workload,\n" });
  list(folder, "descriptions", {
    from: "describe",
    name: "describedMadeUp",
    before: "  workload: describedWorkload,\n",
  });
  mkdirSync(join(folder, "test/sources/made-up"), { recursive: true });
  cpSync(join(__dirname, "probe.ts"), join(folder, "test/sources/made-up/probe.ts"));

  /** A program in the project's folder, as a module. */
  const node = (args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        EBB_CONFIG: "/nowhere/ebb.yaml",
        AWS_REGION: "eu-west-1",
        NODE_NO_WARNINGS: "1",
      },
    });
    if (status !== 0) throw new Error(`node ${args.join(" ")}: expected exit status 0, got ${status}: ${stderr}`);
    return { stdout, stderr };
  };
  return {
    folder,
    node,
    /** The last line of what it prints, as JSON. */
    run: (script: string, type: "module" | "commonjs" = "commonjs") =>
      JSON.parse(
        node([`--input-type=${type}`, "-e", script])
          .stdout.trim()
          .split("\n")
          .at(-1) ?? "",
      ) as unknown,
    ebb: (...args: readonly string[]) => node(["dist/ebb.js", ...args]),
    read: (path: string) => readFileSync(join(folder, path), "utf8"),
    write: (path: string, content: string) => writeFileSync(join(folder, path), content),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function addFile(folder: string, name: string): void {
  const text = readFileSync(join(__dirname, `${name}.ts`), "utf8");
  writeFileSync(join(folder, `lib/sources/made-up/${name}.ts`), text.replaceAll("../../../lib/sources/", "../"));
}

function list(folder: string, file: string, { from, name, before }: { from: string; name: string; before: string }) {
  const path = join(folder, `lib/sources/${file}.ts`);
  const text = readFileSync(path, "utf8");
  const at = text.indexOf(before);
  if (at < 0) throw new Error(`${path}: expected the line ${before}`);
  const line = `  "made-up": ${name},\n`;
  writeFileSync(path, `import { ${name} } from "./made-up/${from}";\n${text.slice(0, at)}${line}${text.slice(at)}`);
}

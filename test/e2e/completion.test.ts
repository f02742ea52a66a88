import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { servedTableForTests } from "../cli/table";
import { type BuiltCommand, buildCommand } from "../how-to/build-command";
import { installedProgram } from "./servers/installed";

/** Completion in real shells, with names from a table; test/cli/completion.test.ts drives bash. */

const { byHand, file, folder, register, table } = servedTableForTests();
const execute = promisify(execFile);
let built: BuiltCommand;
let env: Record<string, string>;

beforeAll(async () => {
  await Promise.all(["prod", "test"].map(register));
  for (const name of ["web", "worker"])
    await byHand({ pk: "CLUSTER#prod", sk: `HPA#default/${name}`, spec: { scaleTargetRef: {}, maxReplicas: 1 } });
  built = buildCommand();
  const bin = join(folder(), "bin");
  mkdirSync(bin);
  symlinkSync(built.command, join(bin, "ebb"));
  const { config } = table().client;
  const [endpoint, credentials] = await Promise.all([config.endpoint(), config.credentials()]);
  env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: folder(),
    XDG_CONFIG_HOME: folder(),
    TERM: "dumb",
    LC_ALL: "C.UTF-8",
    AWS_ENDPOINT_URL: `http://127.0.0.1:${endpoint?.port ?? ""}`,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_REGION: "us-east-1",
    EBB_TABLE: table().name,
    EBB_CONFIG: "/nowhere",
  };
  await file(
    `
PS1= RPS1= PROMPT_EOL_MARK=
unset zle_bracketed_paste
autoload -Uz compinit && compinit -u -D
source <(ebb completion zsh)
source <(ebb completion zsh)
complete-and-say() { zle complete-word; print -r -- "[[$BUFFER]]"; BUFFER= }
zle -N complete-and-say
bindkey '^I' complete-and-say
print -r -- "[[ready]]"
`,
    ".zshrc",
  );
  await file("", "hpa-of-web.yaml");
}, 120_000);

test("zsh completes a line on <Tab>", async () => {
  const yaml = join(folder(), "hpa-of-web.yaml");
  const lines: Readonly<Record<string, string>> = {
    "ebb desc": "ebb describe ",
    "ebb get h": "ebb get hpa ",
    "ebb get hpa wo": "ebb get hpa worker ",
    "ebb get hpa/wo": "ebb get hpa/worker ",
    "ebb get hpa --cluster te": "ebb get hpa --cluster test ",
    "ebb get hpa --cluster=te": "ebb get hpa --cluster=test ",
    "ebb get hpa --show-l": "ebb get hpa --show-labels ",
    "ebb events --types=W": "ebb events --types=Warning ",
    "ebb dry-run hpa web of": "ebb dry-run hpa web off ",
    "ebb explain hpa.sp": "ebb explain hpa.spec ",
    "ebb get hpa nobody": "ebb get hpa nobody",
    [`ebb apply -f ${yaml.slice(0, -8)}`]: `ebb apply -f ${yaml} `,
  };
  const driver = await file(
    `
zmodload zsh/zpty
setopt extendedglob
zpty shell "$1 -i"
shift
said() { local seen= part=; while zpty -r shell part; do seen+=$part; if [[ $seen == *'[['(#b)(*)']]'* ]]; then print -r -- "$match[1]"; return; fi; done; return 1 }
said > /dev/null || exit 1
for line in "$@"; do zpty -w -n shell "$line"$'\\t'; said; done
zpty -d shell
`,
    "drive.zsh",
  );
  const zsh = installedProgram("zsh");
  const given = [driver, zsh, ...Object.keys(lines)];
  const { stdout, stderr } = await execute(zsh, given, { env: { ...env, ZDOTDIR: folder() }, timeout: 100_000 });
  expect(stderr).toBe("");
  expect(stdout.split("\n").slice(0, -1)).toEqual(Object.values(lines));
});

test("fish offers what ebb offers", async () => {
  const yaml = join(folder(), "hpa-of-web.yaml");
  const lines: Readonly<Record<string, readonly string[]>> = {
    "ebb desc": ["describe"],
    "ebb get ": ["clusters", "events", "hpa", "sources"],
    "ebb get hpa w": ["web", "worker"],
    "ebb get hpa web wo": ["worker"],
    "ebb get hpa/wo": ["hpa/worker"],
    "ebb get hpa --cluster ": ["prod", "test"],
    "ebb get hpa --cluster=te": ["--cluster=test"],
    "ebb get hpa --color=": ["--color=always", "--color=auto", "--color=never"],
    "ebb dry-run hpa web o": ["off", "on"],
    "ebb explain hpa.s": ["hpa.spec", "hpa.status"],
    "ebb get hpa nobody": [],
    [`ebb apply -f ${yaml.slice(0, -8)}`]: [yaml],
  };
  const script = await file(
    `
ebb completion fish | source
ebb completion fish | source
for line in $argv
  echo (complete --do-complete "$line" | string replace --regex '\\t.*' '' | string join ' ')
end
`,
    "drive.fish",
  );
  const given = ["--no-config", script, ...Object.keys(lines)];
  const { stdout, stderr } = await execute(installedProgram("fish"), given, { env, timeout: 100_000 });
  expect(stderr).toBe("");
  expect(stdout.split("\n").slice(0, -1)).toEqual(Object.values(lines).map((values) => values.join(" ")));
});

import js from "@eslint/js";
import { createNodeResolver, importX } from "eslint-plugin-import-x";
import ts from "typescript-eslint";
import { noLooseAdvice } from "./eslint.advice.mjs";

/**
 * What each folder may import besides itself: downwards only. Held here, and proved by test/lint/boundaries.test.ts.
 */
const base = ["lib/k8s", "lib/model"];
const adapter = [...base, "lib/async", "lib/aws"];
const mayImport = {
  "lib/k8s": [],
  "lib/model": ["lib/k8s"],
  "lib/core": base,
  "lib/async": base,
  "lib/net": [...base, "lib/async"],
  "lib/aws": [...base, "lib/async"],
  "lib/readings": [...base, "lib/core", "lib/async"],
  "lib/scheduler": [...base, "lib/async"],
  "lib/poller": [...base, "lib/core", "lib/async", "lib/readings", "lib/scheduler"],
  "lib/sync": [...base, "lib/core", "lib/async", "lib/readings", "lib/scheduler"],
  "lib/notify": [...base, "lib/core", "lib/async"],
  "lib/secrets": [...adapter, "lib/net"],
  "lib/cluster": [...adapter, "lib/net", "lib/secrets"],
  "lib/sources": [...adapter, "lib/net", "lib/secrets"],
  "lib/table": adapter,
  "lib/read": [...base, "lib/core", "lib/async", "lib/table"],
};

const callers = ["functions", "cli", "local"];
const folders = [
  ...Object.keys(mayImport),
  "compose.ts",
  ...callers,
  "web",
  "infra",
  "test",
  "bench",
  "parity",
  "simulate",
  "scripts",
];

const zones = Object.entries({ ...mayImport, "compose.ts": Object.keys(mayImport) }).map(([target, allowed]) => ({
  target: `./${target}`,
  from: folders.filter((folder) => folder !== target && !allowed.includes(folder)).map((folder) => `./${folder}`),
  message: `${target} may import only itself${allowed.map((folder) => `, ${folder}`).join("")}.`,
}));

/** The page's browser gets what lib/read/page describes, and its words. */
const pageZones = [
  {
    target: "./web",
    from: ".",
    except: ["./web", "./lib/read/page", "./node_modules"],
    message: "web may import only itself, lib/read/page.",
  },
  {
    target: "./lib/read/page",
    from: "./lib",
    except: ["./read/page", "./k8s", "./model/hpa-states.ts"],
    message:
      "lib/read/page may import only itself, lib/k8s, lib/model/hpa-states: the page's bundle has all that it imports.",
  },
];

/** In the command, every room uses the shell, and the shell none of them. */
const shellZone = {
  target: "./cli/shell",
  from: ["look", "write", "understand", "set-up"].map((room) => `./cli/${room}`),
  message: "cli/shell is what the other rooms use: it may import none of them.",
};

/** The functions that open an adapter. Only compose.ts calls them; everyone may import their types. */
const adapterOpeners = [
  "**/lib/aws/clients",
  "**/lib/aws/sdk/cloudwatch-clients",
  "**/lib/aws/slot-queue",
  "**/lib/cluster/clusters",
  "**/lib/secrets/secrets",
  "**/lib/sync/events/event-mirror",
  "**/lib/sync/events/event-recorder",
  "**/lib/table/client",
  "**/lib/table/store",
];

const ioModules = [
  "node:*",
  "/fs",
  "/net",
  "/http",
  "/https",
  "@aws-sdk/*",
  "@kubernetes/*",
  "@aws-lambda-powertools/*",
];

export default ts.config(
  {
    ignores: [
      "dist/",
      "node_modules/",
      ".cache/",
      ".serverless/",
      ".stryker-tmp/",
      "coverage/",
      "reports/",
      "test/lint/fixtures/",
      "lib/model/validators/",
    ],
  },
  js.configs.recommended,
  ...ts.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ["*.mjs"] }, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { "import-x": importX },
    settings: {
      "import-x/resolver-next": [createNodeResolver({ extensions: [".ts", ".tsx", ".js", ".mjs", ".json"] })],
    },
    rules: {
      "import-x/no-restricted-paths": ["error", { zones: [...zones, ...pageZones, shellZone] }],
      "import-x/no-duplicates": "error",
      "import-x/no-cycle": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "max-params": ["error", 4],
      // Prettier wraps the code; nothing wraps comments.
      "max-len": [
        "error",
        { code: 1_000, comments: 120, ignoreUrls: true, ignoreStrings: true, ignoreRegExpLiterals: true },
      ],
      eqeqeq: "error",
    },
  },
  {
    files: ["lib/core/**/*.ts", "lib/k8s/**/*.ts", "lib/model/**/*.ts"],
    rules: {
      "no-restricted-imports": ["error", { patterns: [{ group: ioModules, message: "This folder is pure: no I/O." }] }],
      "no-restricted-globals": ["error", "process", "console", "fetch", "setTimeout", "setInterval", "performance"],
      "no-restricted-properties": [
        "error",
        { object: "Date", property: "now", message: "Time is an argument here." },
        { object: "Math", property: "random", message: "Nothing is random here." },
      ],
    },
  },
  {
    files: callers.map((folder) => `${folder}/**/*.ts`),
    // The embedded table is a server with a client of its own.
    ignores: ["local/backends/table/**"],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          patterns: [
            { group: adapterOpeners, allowTypeImports: true, message: "Ports meet adapters in compose.ts alone." },
            {
              group: ["**/lib/sources/registry"],
              importNames: ["openMetricSources"],
              message: "Ports meet adapters in compose.ts alone.",
            },
          ],
        },
      ],
    },
  },
  {
    files: [
      "cli/{look,write}/**/*.ts",
      "cli/understand/{doctor,explain}/**/*.ts",
      "cli/set-up/rbac*.ts",
      "lib/read/**/*.ts",
    ],
    // What is older than the rule: how to read more, and which cluster is missing.
    ignores: ["cli/look/describe-resource.ts", "cli/write/refuse-unusable.ts"],
    rules: { "no-restricted-syntax": noLooseAdvice },
  },
  {
    files: ["**/*.mjs", "**/*.cjs"],
    extends: [ts.configs.disableTypeChecked],
    languageOptions: {
      globals: {
        AbortController: "readonly",
        Buffer: "readonly",
        console: "readonly",
        process: "readonly",
        URL: "readonly",
      },
    },
  },
  {
    files: ["**/*.cjs"],
    languageOptions: { globals: { module: "readonly", require: "readonly" } },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
);

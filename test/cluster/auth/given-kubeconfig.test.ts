import { resolve } from "node:path";
import { type GivenKubeconfig, refuseUngiven } from "../../../lib/cluster/auth/given-kubeconfig";

const auth = (context?: string) => ({ type: "kubeconfig", file: "config", ...(context && { context }) }) as const;
const file = resolve("config");

test.each<[string | undefined, readonly GivenKubeconfig[]]>([
  [undefined, [{ file }]],
  [undefined, [{ file: "x" }, { file: "./config" }]],
  ["main", [{ file, context: "main" }]],
  ["main", [{ file, anyContext: true }]],
  [undefined, [{ file, anyContext: true }]],
])("context %j of a file is read if this run was started with %j", (context, given) => {
  expect(() => refuseUngiven(auth(context), given)).not.toThrow();
});

test.each<[string | undefined, readonly GivenKubeconfig[], string]>([
  [undefined, [], ""],
  [undefined, [{ file: "/other/config" }], ""],
  [undefined, [{ file: "/other/config", anyContext: true }], ""],
  [undefined, [{ file, context: "main" }], ""],
  ["main", [{ file }], ", context main"],
  ["main", [{ file, context: "x" }], ", context main"],
])("context %j of a file is not read if this run was started with %j", (context, given, which) => {
  const todo = "start ebb with --kubeconfig (and --context), or name the file in KUBECONFIG for a single command";
  expect(() => refuseUngiven(auth(context), given)).toThrow(
    expect.objectContaining({
      ...{ kind: "forbidden", lack: "kubeconfig" },
      message: `auth.file config${which}: expected the kubeconfig that this run was started with: ${todo}`,
    }) as Error,
  );
});

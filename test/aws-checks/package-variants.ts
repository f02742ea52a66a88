import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { folderOf, root, type Variant, variants } from "./variants";

/** Jest's globalSetup: packages each variant, offline and without credentials. The bundles are built already. */
export default function packageVariants(): void {
  for (const [name, { stage, params }] of Object.entries<Variant>(variants)) {
    const given = Object.entries(params).flatMap(([param, value]) => ["--param", `${param}=${value}`]);
    const args = ["package", "--package", folderOf(name), "--stage", stage, "--region", "eu-central-1", ...given];
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, CI: "true", SLS_INTERACTIVE_SETUP_ENABLE: "" };
    try {
      execFileSync(join(root, "node_modules/.bin/osls"), args, { cwd: root, env, stdio: "pipe" });
    } catch (cause) {
      const { stdout, stderr } = cause as { readonly stdout: Buffer; readonly stderr: Buffer };
      throw new Error(`expected osls to package the variant ${name}, got ${String(stdout)}${String(stderr)}`, {
        cause,
      });
    }
  }
}

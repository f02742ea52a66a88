import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listOf, type Statement } from "./iam";

/** The statement for an action that a page tells its reader to write, with the reader's own roles in it. */
export function policyOnPage(
  page: string,
  action: string,
  roles: Readonly<Record<"SyncRoleArn" | "WatchRoleArn", string>>,
): Statement {
  const text = readFileSync(join(__dirname, "../..", page), "utf8");
  const blocks = [...text.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
  const policies = blocks.filter((block) => block.includes('"Effect"'));
  const filledIn = policies.map((block) =>
    block.replace(/<(\w+)>/g, (all, name: string) =>
      Object.hasOwn(roles, name) ? roles[name as keyof typeof roles] : all,
    ),
  );
  const found = filledIn
    .map((block) => JSON.parse(block) as Statement)
    .filter(({ Action }) => listOf(Action).includes(action));
  const [statement] = found;
  if (statement === undefined || found.length > 1)
    throw new Error(`${page}: expected one statement for ${action}, got ${found.length}`);
  return statement;
}

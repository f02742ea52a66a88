import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { type Caller, callerOf, callerWith } from "../../../cli/shell/advice/caller";
import { adviceText } from "../../../cli/shell/advice/print";
import { onHpa } from "../../../cli/shell/advice/entries";
import { advice } from "../../../cli/shell/advice/table";
import { addGlobalOptions } from "../../../cli/shell/global-options";
import { aws, ebb, ebbAlone, pipe, row } from "../../../lib/model/advice";
import type { ClusterEntry } from "../../../lib/model/entry/entries";
import { tableForTests } from "../table";
import { plainCaller } from "./plain-caller";

const { folder } = tableForTests();
const settings = { table: "ebb-prod", region: undefined, profile: undefined };

/** Who typed this command line. */
function calling(line: string, env: Readonly<Record<string, string>> = {}, name = "ebb"): Caller {
  let found: Caller | undefined;
  const verb = addGlobalOptions(new Command("doctor"));
  verb
    .argument("[cluster]")
    .action((_cluster, _options, self: Command) => void (found = callerOf(self, settings, env)));
  addGlobalOptions(new Command(name)).addCommand(verb).parse(line.split(" "), { from: "user" });
  if (found === undefined) throw new Error(`not parsed: ${line}`);
  return found;
}

const edit = { parts: [ebb("edit", "hpa", "web")] };

test.each<[string, Caller, string]>([
  ["no option: nothing is added", calling("doctor prod"), "`ebb edit hpa web`"],
  ["the table's name", calling("doctor --table t"), "`ebb edit hpa web --table t`"],
  [
    "all that name a table, also before the verb, but neither the cluster nor the namespace",
    calling("--context c --region eu-west-1 doctor prod --profile p --directory .d --cluster prod -n shop"),
    "`ebb edit hpa web --context c --region eu-west-1 --profile p --directory .d`",
  ],
  ["as kubectl's plugin", calling("doctor", {}, "kubectl ebb"), "`kubectl ebb edit hpa web`"],
  ["in a clone", calling("doctor", { npm_lifecycle_event: "ebb" }), "`npm run -s ebb -- edit hpa web`"],
])("%s", (_, caller, text) => {
  expect(adviceText(edit, caller)).toBe(text);
});

test("a verb without a table gets no table", () => {
  expect(adviceText({ parts: [ebbAlone("init")] }, calling("doctor --table t"))).toBe("`ebb init`");
});

test("the AWS CLI gets the region and the profile of the table, unless the command names a region", () => {
  const caller = callerOf(new Command("ebb"), { table: "t", region: "eu-west-1", profile: "p" }, {});
  const text = (...words: readonly string[]) => adviceText({ parts: [aws(...words)] }, caller);
  expect(text("sqs", "list-queues")).toBe("`aws sqs list-queues --region eu-west-1 --profile p`");
  expect(text("sqs", "list-queues", "--region", "us-east-1")).toBe("`aws sqs list-queues --region us-east-1`");
  expect(adviceText(advice.startBackups(), caller)).toContain("--table-name t`");
});

test("on a table that nothing serves now, the AWS CLI would act on the reader's own account", async () => {
  const local = callerOf(new Command("ebb"), { ...settings, table: undefined }, {});
  const stopped = await callerWith(local, { entries: [], directory: folder() }, { HOME: "/nowhere" });
  const text = adviceText(advice.brokenState({ cluster: "c", namespace: "n", name: "web" }), stopped);
  expect(text).toMatch(/: `ebb start`, then ask again$/);
  expect(text).not.toContain("aws");
});

test("words of others are quoted, each part of a pipe by itself", () => {
  const hostile = { cluster: "$(id)", namespace: "a b", name: "it's; rm -r ~" };
  expect(adviceText({ parts: [onHpa(["edit"], hostile)] }, plainCaller)).toBe(
    String.raw`${"`"}ebb edit hpa 'it'\''s; rm -r ~' -n 'a b' --cluster '$(id)'${"`"}`,
  );
  const granted = { cluster: "a|b", subject: ["--user", "x y"], rule: "{}" };
  expect(adviceText(advice.grantRights(granted), plainCaller)).toContain(
    "`ebb rbac 'a|b' --user 'x y' | kubectl --context 'a|b' apply -f -`",
  );
});

test("a name that looks like an option stays a name", () => {
  const text = adviceText(advice.invalidHpa({ cluster: "c", namespace: "n", name: "--all" }), plainCaller);
  expect(text).toBe("fix its entry: `ebb edit hpa/--all -n n --cluster c`");
});

test("the words of a row, and what its slots say", () => {
  const greeting = row<{ readonly who: string }>`ask ${({ who }) => who} for ${() => pipe(ebb("get"), ebb("wait"))}.`;
  expect(greeting.words).toEqual(["ask ", " for ", "."]);
  expect(adviceText(greeting({ who: "me" }), plainCaller)).toBe("ask me for `ebb get | ebb wait`.");
});

describe("kubectl", () => {
  const server = "https://10.0.0.1:6443";
  const config = (current: string, contexts: Readonly<Record<string, string>>) =>
    JSON.stringify({
      "current-context": current,
      clusters: Object.entries(contexts).map(([name, address]) => ({ name, cluster: { server: address } })),
      contexts: Object.keys(contexts).map((name) => ({ name, context: { cluster: name, user: "u" } })),
    });
  const entry = (spec: Partial<ClusterEntry["spec"]> = {}): ClusterEntry => ({
    name: "prod",
    spec: { endpoint: server, auth: { type: "token", secret: "ebb/prod" }, ...spec },
  });

  async function typed(
    kubeconfig: string,
    entries: readonly (ClusterEntry | undefined)[] = [entry()],
  ): Promise<string> {
    const file = join(folder(), "config");
    await writeFile(file, kubeconfig);
    const caller = await callerWith(plainCaller, { entries }, { KUBECONFIG: file });
    return caller.kubectl("prod").join(" ");
  }

  test.each([
    ["the current context has the cluster's server", config("a", { a: `${server}/` }), "kubectl"],
    ["another context has it", config("a", { a: "https://other", b: server }), "kubectl --context b"],
    ["the current one of two", config("b", { a: server, b: server }), "kubectl"],
    ["none has it: never the current one", config("a", { a: "https://other" }), "kubectl --context prod"],
    ["a file that is no kubeconfig", "{", "kubectl --context prod"],
    ["a kubeconfig of another form", '{"contexts": 7, "clusters": [null, {"name": 1}]}', "kubectl --context prod"],
  ])("%s", async (_, kubeconfig, expected) => {
    expect(await typed(kubeconfig)).toBe(expected);
  });

  test("an entry that cannot be used, or names a file that is not there", async () => {
    const text = config("a", { a: server });
    expect(await typed(text, [undefined])).toBe("kubectl --context prod");
    const auth = { type: "kubeconfig", file: "/nowhere" } as const;
    expect(await typed(text, [{ name: "prod", spec: { auth } }])).toBe("kubectl --context prod");
  });
});

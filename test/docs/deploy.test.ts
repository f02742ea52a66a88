import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readYaml } from "../infra/read-template";

const page = readFileSync("docs/deploy.md", "utf8");
/** What a section names: in the first cells of its tables, and at the beginning of the lines of its lists. */
const cellsOf = (heading: string) => {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`)).split("\n## ")[1] ?? "";
  return [...section.matchAll(/^(?:\| |- )(`.*?) *(?:\||\(|: )/gm)].flatMap(
    ([, cell = ""]) => cell.match(/(?<=`)[\w-]+(?=`)/g) ?? [],
  );
};

test("the page says what to do about each alarm", () => {
  const { Resources } = readYaml<{
    readonly Resources: Readonly<Record<string, { readonly Properties: { readonly AlarmName: string } }>>;
  }>("infra/alarms.yml");
  const names = Object.values(Resources).map(({ Properties }) => Properties.AlarmName.replace(/^.*\}-/, ""));
  expect(cellsOf("Alarms")).toEqual(names);
});

test("the page leads to the parameters, and each has a comment above it, or above its group", () => {
  expect(page).toContain("[serverless.yml](../serverless.yml) lists each parameter at its top");
  const text = readFileSync("serverless.yml", "utf8");
  const [, block = ""] = /^ {2}default:\n([^]*?)^ {2}\w/m.exec(text) ?? [];
  const lines = block.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^ {4}# \w/);
  const { params } = readYaml<{ readonly params: { readonly default: object } }>("serverless.yml");
  const names = Object.keys(params.default);
  expect(lines.filter((line) => !line.startsWith("    #")).map((line) => line.trim().split(":")[0])).toEqual(names);
  expect(lines.filter((line) => line.startsWith("    #")).length).toBeGreaterThan(names.length / 2);
});

/** The name that a service's endpoint has in a VPC, if it is not the name that the code gives the service. */
const endpoints: Readonly<Record<string, string>> = { cloudwatch: "monitoring", aps: "aps-workspaces" };
/** Their tokens are signed requests that another server sends, or sends on: no function calls these services. */
const signedAlone = ["rds-db", "kafka-cluster"];
/** `ebb doctor` and a deployment call it from your machine. */
const byCommandAlone = ["lambda"];
/** The function notify is in no VPC. */
const outsideAlone = ["sns", "eventbridge"];

test("the page lists an endpoint for each service that the functions call", () => {
  const sources = readdirSync("lib", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  // A client of the SDK, one of ebb's own, or a signed request.
  const named = /from "@aws-sdk\/client-([\w-]+)"|\bawsHost\("([\w-]+)"|\bservice: "([a-z][a-z-]+)"/g;
  const called = sources.flatMap((file) =>
    [...readFileSync(join("lib", file), "utf8").matchAll(named)].flatMap(
      ([, sdk, host, signed]) => sdk?.replaceAll("-", "") ?? host ?? signed ?? [],
    ),
  );
  const services = [...new Set(called)].filter(
    (name) => ![...signedAlone, ...byCommandAlone, ...outsideAlone].includes(name),
  );
  const listed = services.map((name) => endpoints[name] ?? name);
  // The SDK calls STS within: lib/cluster/auth/assume-role.ts
  expect(listed).toContain("sts");
  expect(cellsOf("Private endpoints").toSorted()).toEqual(listed.toSorted());
});

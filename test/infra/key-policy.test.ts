import { readFileSync } from "node:fs";
import { exampleText } from "../examples/examples";
import { isLike } from "./iam";
import { readYaml } from "./read-template";

/** examples/key-policy.json, for the stage prod in eu-central-1. */
interface KeyStatement {
  readonly Principal: { readonly AWS?: string; readonly Service?: string };
  readonly Action: string | readonly string[];
  readonly Condition?: { readonly ArnLike: Readonly<Record<string, string>> };
}

const { Statement: statements } = JSON.parse(exampleText("key-policy.json")) as {
  readonly Statement: readonly KeyStatement[];
};
const ofLogs = statements.find(({ Principal }) => Principal.Service !== undefined);
const { service, functions } = readYaml<{ readonly service: string; readonly functions: object }>("serverless.yml");

test("CloudWatch Logs may use the key for the log group of every function, and for no other's", () => {
  const [[name, pattern] = []] = Object.entries(ofLogs?.Condition?.ArnLike ?? {});
  expect(name).toBe("kms:EncryptionContext:aws:logs:arn");
  const group = (lambda: string) => `arn:aws:logs:eu-central-1:111122223333:log-group:/aws/lambda/${lambda}`;
  const mayUse = (lambda: string) => isLike(group(lambda), pattern ?? "");
  expect(Object.keys(functions).filter((each) => !mayUse(`${service}-prod-${each}`))).toEqual([]);
  expect(["other-prod-sync", "ebb-dev-sync", "ebb-production"].filter(mayUse)).toEqual([]);
});

test("CloudWatch Logs gets what its documentation asks for", () => {
  const verbs = ["Encrypt", "Decrypt", "ReEncrypt*", "GenerateDataKey*", "DescribeKey"];
  expect(ofLogs?.Action).toEqual(verbs.map((verb) => `kms:${verb}`));
});

test("the account's own policies count, as docs/deploy.md says", () => {
  expect(statements[0]).toMatchObject({ Principal: { AWS: "arn:aws:iam::111122223333:root" }, Action: "kms:*" });
  expect(readFileSync("docs/deploy.md", "utf8")).toContain("[examples/key-policy.json](../examples/key-policy.json)");
});

import { readFileSync } from "node:fs";
import { readPage } from "../how-to/page";
import { runPython } from "./python";

/** The commands of the AWS CLI in docs/first-deployment.md, as the AWS CLI itself reads them. */
const variables: Readonly<Record<string, string>> = {
  $ORDERS: "https://sqs.eu-central-1.amazonaws.com/111122223333/orders",
  $SLOTS: "https://sqs.eu-central-1.amazonaws.com/111122223333/ebb-try-slots",
};

const lines = readPage(readFileSync("docs/first-deployment.md", "utf8"))
  .flatMap((step) => (step.kind === "run" ? step.script.trim().split("\n") : []))
  .flatMap((line) => /(?:^|\$\()(aws [^)]*?)\)?$/.exec(line)?.[1] ?? []);

const wordsOf = (line: string) =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)]
    .map(([, single, double, plain]) => single ?? double ?? plain ?? "")
    .map((word) => variables[word] ?? word)
    .slice(1);

const outcomesOf = (given: readonly string[]) =>
  runPython<readonly string[]>("botocore", "parse_commands.py", { commands: given.map(wordsOf) });

test("each is a request that AWS knows", () => {
  expect(lines.length).toBeGreaterThan(12);
  const outcomes = outcomesOf(lines).map((outcome, index) => [lines[index], outcome]);
  expect(outcomes.filter(([, outcome]) => !/^(aws: \[ERROR\]: )?[a-z]+:[A-Z]\w+$/.test(outcome ?? ""))).toEqual([]);
});

test("a wrong option, value and path would be found", () => {
  const wrong = [
    "aws sqs get-queue-url --queue orders",
    "aws cloudwatch get-metric-statistics --namespace ebb --metric-name SyncLag --period x --statistics Average",
    "aws sqs list-queues --query 'QueueUrls[?'",
    "aws lambda get-account",
  ];
  for (const [index, outcome] of outcomesOf(wrong).entries())
    expect([wrong[index], outcome]).toEqual([wrong[index], expect.not.stringMatching(/^[a-z]+:[A-Z]\w+$/)]);
});

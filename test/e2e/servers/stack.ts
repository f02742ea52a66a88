import type { Emulator } from "./emulator";
import { eventually } from "./eventually";

/** One CloudFormation stack on an emulator; each call waits until CloudFormation has ended what it began. */
export interface Stack {
  create(template: string, parameters: Readonly<Record<string, string>>): Promise<void>;
  update(template: string, parameters: Readonly<Record<string, string>>): Promise<void>;
  remove(): Promise<void>;
}

/** CloudFormation's Query API by hand: no suite needs more of it than this. */
export function openStack({ endpoint, region }: Emulator, name: string): Stack {
  const scope = `test/20260101/${region}/cloudformation/aws4_request`;

  async function call(Action: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`,
      },
      body: new URLSearchParams({ Action, Version: "2010-05-15", StackName: name, ...more }),
    });
    const text = await response.text();
    if (!response.ok && !text.includes("does not exist")) throw new Error(`${Action}: ${response.status} ${text}`);
    return text;
  }

  const status = async () => /<StackStatus>(\w+)</.exec(await call("DescribeStacks"))?.[1] ?? "none";

  async function until(wanted: readonly string[]): Promise<void> {
    await eventually(`stack ${name} is ${wanted.join(" or ")}`, async () => {
      const now = await status();
      if (!wanted.includes(now)) throw new Error(`it is ${now}`);
    });
  }

  const given = (TemplateBody: string, parameters: Readonly<Record<string, string>>) => ({
    TemplateBody,
    "Capabilities.member.1": "CAPABILITY_IAM",
    ...Object.fromEntries(
      Object.entries(parameters).flatMap(([key, value], index) => [
        [`Parameters.member.${index + 1}.ParameterKey`, key],
        [`Parameters.member.${index + 1}.ParameterValue`, value],
      ]),
    ),
  });

  return {
    async create(template, parameters) {
      await call("CreateStack", given(template, parameters));
      await until(["CREATE_COMPLETE"]);
    },
    async update(template, parameters) {
      await call("UpdateStack", given(template, parameters));
      await until(["UPDATE_COMPLETE"]);
    },
    async remove() {
      await call("DeleteStack");
      await until(["DELETE_COMPLETE", "none"]);
    },
  };
}

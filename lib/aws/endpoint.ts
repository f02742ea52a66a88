export type LightService = "sqs" | "dynamodb";

const domains: readonly (readonly [prefix: string, domain: string])[] = [
  ["cn-", "amazonaws.com.cn"],
  ["us-isob-", "sc2s.sgov.gov"],
  ["us-isof-", "csp.hci.ic.gov"],
  ["us-iso-", "c2s.ic.gov"],
  ["eu-isoe-", "cloud.adc-e.uk"],
  ["eusc-", "amazonaws.eu"],
];

export function awsHost(service: string, region: string): string {
  const domain = domains.find(([prefix]) => region.startsWith(prefix))?.[1] ?? "amazonaws.com";
  return `${service}.${region}.${domain}`;
}

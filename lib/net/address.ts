import { BlockList, isIP, type LookupFunction } from "node:net";
import { sharedLookup } from "./shared-lookup";

export interface AddressRules {
  /** A deployed function refuses its own machine. */
  readonly loopback: boolean;
  readonly allowedHosts: readonly string[];
  /** Names, or `*.example.com` for every host below it. Absent: any. */
  readonly onlyHosts?: readonly string[];
}

/** For commands and `ebb start`: simulated clusters and tunnels are on this machine. */
export const onThisMachine: AddressRules = { loopback: true, allowedHosts: [] };

const ranges = {
  "a loopback address": ["127.0.0.0/8", "::1/128"],
  "an unspecified address": ["0.0.0.0/8", "::/128"],
  "a link-local address": ["169.254.0.0/16", "fe80::/10"],
  // AWS, Alibaba, Azure, Oracle, Google, Scaleway.
  "a metadata address": [
    "fd00:ec2::/32",
    "100.100.100.200/32",
    "168.63.129.16/32",
    "192.0.0.192/32",
    "fd20:ce::254/128",
    "fd00:42::42/128",
  ],
  // Local NAT64 (RFC 8215) and Teredo may contain an IPv4 address in several ways, or masked.
  "an address of a translation or tunnel": ["64:ff9b:1::/48", "2001::/32"],
  // IANA's "IETF protocol assignments": the next gateway, a relay, a dummy.
  "an address of network protocols": ["192.0.0.0/24", "2001::/23"],
  "a multicast address": ["224.0.0.0/4", "ff00::/8"],
  "the broadcast address": ["255.255.255.255/32"],
} as const;

type Kind = keyof typeof ranges;

let known: readonly (readonly [Kind, BlockList])[] | undefined;

/** Made on first use: they take 5 to 10 ms of a start. */
function lists(): readonly (readonly [Kind, BlockList])[] {
  return (known ??= Object.entries(ranges).map(([kind, subnets]) => [kind as Kind, blockList(subnets)] as const));
}

function blockList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = "", bits] = subnet.split("/");
    const prefix = Number(bits);
    if (isIP(network) === 6) {
      list.addSubnet(network, prefix, "ipv6");
      continue;
    }
    list.addSubnet(network, prefix, "ipv4");
    // The same addresses inside IPv6: IPv4-mapped, IPv4-translated (RFC 2765), NAT64, IPv4-compatible, 6to4.
    for (const outer of ["::ffff:", "::ffff:0:", "64:ff9b::", "::"])
      list.addSubnet(`${outer}${network}`, 96 + prefix, "ipv6");
    list.addSubnet(`2002:${hexGroups(network)}::`, 16 + prefix, "ipv6");
  }
  return list;
}

function hexGroups(address: string): string {
  const [a, b, c, d] = address.split(".").map((octet) => Number(octet).toString(16).padStart(2, "0"));
  return `${a}${b}:${c}${d}`;
}

/** Undefined: it is allowed. */
export function refusedAddress(address: string, host: string, rules: AddressRules): string | undefined {
  if (rules.allowedHosts.includes(hostName(host))) return undefined;
  const [bare = ""] = address.split("%");
  const family = isIP(bare);
  if (family === 0) return "not an IP address";
  const kind = lists().find(([, list]) => list.check(bare, family === 4 ? "ipv4" : "ipv6"))?.[0];
  return kind === "a loopback address" && rules.loopback ? undefined : kind;
}

export function isReachable(host: string, { onlyHosts }: AddressRules): boolean {
  const name = hostName(host);
  const isThis = (only: string) => (only.startsWith("*.") ? name.endsWith(only.slice(1)) : name === only);
  return onlyHosts === undefined || onlyHosts.some(isThis);
}

export function hostName(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

export function refusal(host: string, address: string, kind: string): Error {
  const name = hostName(host);
  const where = name === address ? address : `${name} is ${address}`;
  return new Error(`ebb does not connect to ${kind} (${where}); the deployment's allowedHosts allows a host by name`);
}

/**
 * Fails if any of a host's addresses is refused. The connection uses the checked addresses, so no later DNS answer can
 * redirect it.
 */
export function checkedLookup(rules: AddressRules): LookupFunction {
  return (host, options, callback) => {
    sharedLookup(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      for (const { address } of addresses) {
        const kind = refusedAddress(address, host, rules);
        if (kind !== undefined) return callback(refusal(host, address, kind), []);
      }
      if (options.all === true) return callback(null, [...addresses]);
      const [first] = addresses;
      if (first === undefined) return callback(new Error(`${host}: expected an address, got none`), []);
      callback(null, first.address, first.family);
    });
  };
}

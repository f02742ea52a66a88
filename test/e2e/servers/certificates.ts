import { generate } from "selfsigned";

/** PEM both. */
export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

const ec = { keyType: "ec", curve: "P-256", algorithm: "sha256" } as const;

export async function certificateAuthority(commonName: string): Promise<KeyPair> {
  const made = await generate([{ name: "commonName", value: commonName }], {
    ...ec,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  return { key: made.private, cert: made.cert };
}

/** A name with letters is a DNS name; one of digits and dots is an IPv4 address. */
export async function serverCertificate(ca: KeyPair, names: readonly string[]): Promise<KeyPair> {
  const altNames = names.map((name) =>
    /^[\d.]+$/.test(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name },
  );
  const made = await generate([{ name: "commonName", value: names[0] }], {
    ...ec,
    ca,
    extensions: [
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      { name: "subjectAltName", altNames },
    ],
  });
  return { key: made.private, cert: made.cert };
}

/** Kubernetes reads the user in the common name, and a group in the organization. */
export async function clientCertificate(ca: KeyPair, user: string, group?: string): Promise<KeyPair> {
  const organization = group === undefined ? [] : [{ name: "organizationName", value: group }];
  const made = await generate([{ name: "commonName", value: user }, ...organization], {
    ...ec,
    ca,
    extensions: [
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", clientAuth: true },
    ],
  });
  return { key: made.private, cert: made.cert };
}

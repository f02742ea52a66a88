import { generate } from "selfsigned";

/** A CA, a server certificate for 127.0.0.1 and "api.internal", and a client certificate, made for one test run. */
export async function makeCertificates() {
  const ca = await generate([{ name: "commonName", value: "test CA" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const signer = { key: ca.private, cert: ca.cert };
  const server = await generate([{ name: "commonName", value: "api.internal" }], {
    keyType: "ec",
    algorithm: "sha256",
    ca: signer,
    extensions: [
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "api.internal" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  const client = await generate([{ name: "commonName", value: "ebb" }], {
    keyType: "ec",
    algorithm: "sha256",
    ca: signer,
  });
  return {
    ca: ca.cert,
    server: { key: server.private, cert: server.cert },
    client: { key: client.private, cert: client.cert },
  };
}

export function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

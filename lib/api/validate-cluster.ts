import type { ClusterSpec } from "./entries";
import { fieldProblem } from "./field-problem";
import { schemaProblems } from "./schema-problems";
import * as validator from "./validators/cluster-spec";

/**
 * What is wrong with a cluster's spec: what its schema says (lib/api/schema/cluster.ts), and what no schema can say of an endpoint
 * and a certificate. Empty: it is a ClusterSpec.
 */
export function validateCluster(spec: unknown): readonly string[] {
  const problems = schemaProblems(validator, spec, "spec");
  if (problems.length > 0) return problems;
  const { endpoint, certificateAuthorityData } = spec as ClusterSpec;
  return [
    ...(endpoint === undefined || isEndpoint(endpoint)
      ? []
      : [fieldProblem(["spec", "endpoint"], "https://host[:port][/path] (http only on this machine)", endpoint)]),
    ...(certificateAuthorityData === undefined || holdsCertificate(certificateAuthorityData)
      ? []
      : [
          fieldProblem(
            ["spec", "certificateAuthorityData"],
            "base64 of a PEM certificate, as in a kubeconfig",
            certificateAuthorityData,
          ),
        ]),
  ];
}

/** A token must not cross a network in the clear, so plain http is for this machine alone (a proxy, a simulated cluster). */
function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  const loopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  const bare = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return bare && (url.protocol === "https:" || (url.protocol === "http:" && loopback));
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/;

function holdsCertificate(base64: string): boolean {
  return pemCertificate.test(Buffer.from(base64, "base64").toString());
}

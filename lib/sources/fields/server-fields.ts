import {
  type ChoiceField,
  type MapField,
  type NamedField,
  type ObjectField,
  type TextField,
  countField,
  textField,
  flagField,
} from "./field";
import { peersPattern } from "../network/peer";

const anyText = { expected: "a text of at most 1,000 characters", pattern: /^[^\0]{1,1000}$/ };
const variableName = { expected: "a name of letters, digits and _", pattern: /^[A-Za-z_]\w{0,62}$/ };

const headers: MapField = {
  type: "map",
  name: { expected: "a header's name", pattern: /^[A-Za-z0-9-]{1,100}$/ },
  // A line break would end the header.
  value: { expected: "printable ASCII", pattern: /^[\x20-\x7e]{1,1000}$/ },
  expected: "an object of headers, which only a SOURCE entry can hold",
};

const vars: MapField = {
  type: "map",
  name: variableName,
  value: anyText,
  expected: "an object of names and texts, which only a SOURCE entry can hold",
};

const var_: NamedField = { type: "named", prefix: "var.", name: variableName, value: anyText };

export const serverFields = {
  secret: textField({ expected: "a secret's name such as ebb/prod/metrics", pattern: /^[\w/+=.@:-]{1,2000}$/ }),
  certificateAuthorityData: textField({ expected: "base64 of a PEM certificate", pattern: /^[A-Za-z0-9+/=\s]+$/ }),
  tlsServerName: textField({ expected: "a host name", pattern: /^[A-Za-z0-9.-]{1,253}$/ }),
  timeoutSeconds: countField(1, 10),
};

const scheme: ChoiceField<"http" | "https"> = { type: "choice", values: ["http", "https"], expected: "http or https" };
const kubernetesName = { expected: "a name such as prometheus", pattern: /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/ };

const port: TextField = {
  ...textField({ expected: "a port's number or name", pattern: /^[a-z0-9][a-z0-9-]{0,14}$/ }),
  takesNumbers: true,
};

const ofService = {
  namespace: textField(kubernetesName),
  service: textField(kubernetesName),
  port,
};

const ofVia = { ...ofService, scheme };

const service = {
  type: "object",
  required: ["namespace", "service", "port"],
  expected: "an object with namespace, service and port, which only a SOURCE entry can hold",
} as const;

const via: ObjectField<typeof ofVia> = { ...service, of: ofVia };

export const serviceField: ObjectField<typeof ofService> = { ...service, of: ofService };

export const webFields = { headers, ...serverFields };

/** The API server uses the Authorization header itself. */
export const viaFields = { via };

export const urlOrPath = (expected: string) =>
  textField({ expected, pattern: /^(https?:\/\/[^\s/?#$]+)?([/?][^\s#]*)?$/ });

/** `${app}` becomes the label `var.app`. */
export const variableFields = { vars, "var.<name>": var_ };

export const describedServerFields = {
  secret:
    "The secret with the credential, ebb/<cluster>/…, which names its endpoint; on your machine alone env:EBB_SECRET_<name>. docs/deploy.md, “Secrets”.",
  certificateAuthorityData: "The server's CA, as base64 of PEM. Default: the public ones.",
  tlsServerName: "The name on the server's certificate, if it is not the host's.",
  timeoutSeconds: "How long a reading may take, at most half of the sync period. Default 5.",
};

export const describedWebFields = {
  headers: "Headers of each request, without credentials.",
  ...describedServerFields,
};

export const describedService = {
  namespace: "The service's namespace. Required.",
  service: "The service's name. Required.",
  port: "Its number or name. Required.",
};

export const describedViaFields = {
  via: {
    title: "Via",
    description: "The service to read through the cluster's API server. url is a path then.",
    of: {
      ...describedService,
      scheme: "What it speaks; nobody checks its certificate. Default http.",
    },
  },
};

export const describedVariableFields = {
  vars: "The values of the placeholders, by name.",
  "var.<name>": "One of them, as a label.",
};

export const tcpFields = {
  address: textField({ expected: "host:port, or several with commas", pattern: peersPattern }),
  tls: flagField,
  via: serviceField,
  ...serverFields,
};

export const describedTcpFields = {
  tls: "Without TLS, there is no secret, except with via and to this machine. Default true, with via false.",
  via: {
    title: "Via",
    description: "The service to read by port forwarding, in place of address.",
    of: describedService,
  },
  ...describedServerFields,
};

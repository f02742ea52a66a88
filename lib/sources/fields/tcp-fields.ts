import { peersPattern } from "../network/peer";
import { flagField, textField } from "./field";
import { describedServerFields, describedService, serverFields, serviceField } from "./web-fields";

/** Parameters of every kind that reads a server over TCP. */
export const tcpFields = {
  address: textField({ expected: "host:port, or several with commas", pattern: peersPattern }),
  tls: flagField,
  via: serviceField,
  ...serverFields,
};

export const describedTcpFields = {
  tls: "Whether connections use TLS. Default true, with via false. Without it, there is no secret, except with via and to this machine.",
  via: {
    title: "Via",
    description:
      "The service of the cluster whose pods are read through its API server, by port forwarding. In place of address.",
    of: describedService,
  },
  ...describedServerFields,
};

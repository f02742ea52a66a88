import { peersPattern } from "../network/peer";
import { flagField, textField } from "./field";
import { describedServerFields, describedService, serverFields, serviceField } from "./web-fields";

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

import { peersPattern } from "../network/peer";
import { flagField, textField } from "./field";
import { describedServerFields, serverFields } from "./web-fields";

/** Parameters of every kind that reads a server over TCP. */
export const tcpFields = {
  address: textField({ expected: "host:port, or several with commas", pattern: peersPattern }),
  tls: flagField,
  ...serverFields,
};

export const describedTcpFields = {
  tls: "Whether connections use TLS. Default true. Without it, there is no secret, except to this machine.",
  ...describedServerFields,
};

/** In the simulator's bundle, for functions/wiring: the simulator wires the handlers itself. */
const none = () => {
  throw new Error("expected the simulator to wire its functions itself");
};

export const wireTick = none;
export const wireWake = none;
export const wireSync = none;
export const wirePoller = none;

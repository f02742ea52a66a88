import type { Server } from "node:http";
import { listenOnLoopback } from "../../local/guard/loopback";
import { failure } from "./failure";

/** @param how another port is chosen, if this one is in use */
export async function openPort(server: Server, port: number, how: string): Promise<number> {
  try {
    return await listenOnLoopback(server, port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw failure(`port ${port} is in use: choose another one ${how}`);
  }
}

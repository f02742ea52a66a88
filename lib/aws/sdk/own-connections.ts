/**
 * A kept connection may be dead after a function was frozen, and the SDK's retries would take one dead connection after
 * the other (aws-sdk-js-v3#1196). TLS sessions are resumed.
 */
export function ownConnections(maxSockets: number) {
  const agent = { keepAlive: false, maxSockets };
  return { httpAgent: agent, httpsAgent: agent };
}

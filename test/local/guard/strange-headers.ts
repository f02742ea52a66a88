/** What the headers say of a request that no client on this machine sends: for a row of `test.each`. */
export const strangeHeaders: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["a page", { origin: "https://evil.example" }],
  ["a page in a sandbox", { origin: "null" }],
  ["a page of another local server", { origin: "http://localhost:3000" }],
  ["a page that another local server serves by its address", { origin: "http://127.0.0.1:3000" }],
  ["a page of its own address", { origin: "http://127.0.0.1" }],
  ["an image or a script of a page", { "sec-fetch-site": "cross-site" }],
  ["an address that somebody typed into a browser", { "sec-fetch-site": "none" }],
  ["a web socket of a page", { origin: "https://evil.example", connection: "upgrade", upgrade: "websocket" }],
  ["a name that was rebound to this machine", { host: "evil.example" }],
  ["such a name with a port", { host: "127.0.0.1.evil.example:80" }],
  ["a name that looks like loopback", { host: "localhost.evil.example" }],
  ["this machine's name with a dot", { host: "localhost." }],
  ["an address of the network", { host: "192.168.1.7" }],
  ["every address", { host: "0.0.0.0" }],
  ["no name of a host", { host: "." }],
];

import { readFileSync } from "node:fs";

/**
 * Jest runs tests in a realm of their own, so that errors of Node's own modules are no `instanceof Error` there, and
 * the AWS SDK loses what they say. This makes them errors again in each test file, as they are in a function.
 */
const outer = errorOfNode();

Object.defineProperty(Error, Symbol.hasInstance, {
  configurable: true,
  value(this: abstract new () => unknown, value: unknown): boolean {
    if (typeof value !== "object") return false; // most of what expect asks about
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    return this === Error && Function.prototype[Symbol.hasInstance].call(outer, value);
  },
});

function errorOfNode(): abstract new () => unknown {
  try {
    readFileSync("/does/not/exist");
  } catch (error) {
    let prototype = Object.getPrototypeOf(error) as { constructor: { name: string } };
    while (prototype.constructor.name !== "Error")
      prototype = Object.getPrototypeOf(prototype) as { constructor: { name: string } };
    return prototype.constructor as unknown as abstract new () => unknown;
  }
  throw new Error("expected an error of Node's own");
}

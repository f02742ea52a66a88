import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Each test file gets an AsyncLocalStorage from Jest, and more from libraries. Before Node 24, one that has run once is
 * part of every promise and timer of the process until it is disabled, and nobody disables it: the hundredth test file
 * of a worker pays for a hundred. This runs before each test file, and disables those of the files before it.
 */
interface Patched {
  [used]?: Set<AsyncLocalStorage<unknown>>;
}
const used = Symbol.for("ebb.test.usedContexts");

const prototype = AsyncLocalStorage.prototype as AsyncLocalStorage<unknown> & Patched;
const before = (prototype[used] ??= record(new Set()));
for (const context of before) context.disable();
before.clear();

function record(contexts: Set<AsyncLocalStorage<unknown>>): Set<AsyncLocalStorage<unknown>> {
  for (const name of ["run", "enterWith"] as const) {
    const original = Reflect.get(prototype, name) as (...args: unknown[]) => unknown;
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: AsyncLocalStorage<unknown>, ...args: unknown[]): unknown {
        contexts.add(this);
        return Reflect.apply(original, this, args);
      },
    });
  }
  return contexts;
}

import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Jest runs each test and each hook in an AsyncLocalStorage, to know whose unhandled rejection it hears of. Before Node
 * 24, every promise of every test then pays for it, with a fifteenth of all CPU time. The tests of a file run one after
 * the other, so a variable does: a rejection that a test leaves behind fails the test that runs when it is noticed.
 */
interface JestContext {
  readonly test?: unknown;
  readonly hook?: unknown;
}

interface Patched {
  [ofJest]?: JestContext | undefined;
  [patched]?: true;
}
const ofJest = Symbol.for("ebb.test.contextOfJest");
const patched = Symbol.for("ebb.test.plainContexts");

/** Node's own object, which all test files of a process share. */
const prototype = AsyncLocalStorage.prototype as AsyncLocalStorage<unknown> & Patched;
if (prototype[patched] === undefined) {
  prototype[patched] = true;
  const original = { run: method("run"), getStore: method("getStore") };
  replace("run", function (this: Patched, context, callback, ...args) {
    return isOfJest(context)
      ? runIn(this, context, callback as () => Promise<unknown>)
      : Reflect.apply(original.run, this, [context, callback, ...args]);
  });
  replace("getStore", function (this: Patched) {
    return this[ofJest] ?? Reflect.apply(original.getStore, this, []);
  });
}

async function runIn(contexts: Patched, context: JestContext, callback: () => Promise<unknown>): Promise<unknown> {
  const outer = contexts[ofJest];
  if (outer?.test !== undefined && outer.test !== context.test) throw new Error("concurrent tests are for e2e suites");
  contexts[ofJest] = context;
  try {
    return await callback();
  } finally {
    contexts[ofJest] = outer;
  }
}

function isOfJest(context: unknown): context is JestContext {
  return typeof context === "object" && context !== null && ("test" in context || "hook" in context);
}

type Method = (this: Patched, ...args: unknown[]) => unknown;

function method(name: "run" | "getStore"): Method {
  return Reflect.get(prototype, name) as Method;
}

function replace(name: "run" | "getStore", value: Method): void {
  Object.defineProperty(prototype, name, { configurable: true, writable: true, value });
}

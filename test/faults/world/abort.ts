/**
 * AbortController for the code under test, which makes several for each call. Node's costs a tenth of a run, for what
 * the code does not use: events, other types of listeners, and a check for leaks.
 */
export class PlainAbortController {
  readonly signal = new PlainAbortSignal();

  abort(reason: unknown = new DOMException("This operation was aborted", "AbortError")): void {
    this.signal.fire(reason);
  }
}

type Listener = () => void;

class PlainAbortSignal {
  aborted = false;
  reason: unknown = undefined;
  #listeners: Set<Listener> | undefined;

  addEventListener(type: string, listener: Listener, { once = false }: { readonly once?: boolean } = {}): void {
    if (type !== "abort" || !once) throw new Error("expected a listener for one abort");
    (this.#listeners ??= new Set()).add(listener);
  }

  removeEventListener(_type: string, listener: Listener): void {
    this.#listeners?.delete(listener);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** Once. A listener that another one removes is not called. */
  fire(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = this.#listeners;
    if (listeners === undefined) return;
    for (const listener of [...listeners]) if (listeners.delete(listener)) listener();
  }
}

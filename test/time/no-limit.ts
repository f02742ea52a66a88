/** For calls that need a signal: a test gives up at the runner's limit and not before. */
export const noLimit = (): AbortSignal => new AbortController().signal;

/** An error that is told to the user in these words, with the process's exit code: 1 failed, 2 the command line cannot be used. */
export type Failure = Error & { readonly exitCode: number };

export function failure(message: string, exitCode = 1): Failure {
  return Object.assign(new Error(message), { exitCode });
}

/** In kubectl's words for what the API server refuses: `Error from server (NotFound): clusters.ebb.dev "x" not found`. */
export function serverFailure(
  reason: "AlreadyExists" | "BadRequest" | "Conflict" | "Invalid" | "NotFound",
  message: string,
): Failure {
  return failure(`Error from server (${reason}): ${message}`);
}

export function isFailure(error: unknown): error is Failure {
  return error instanceof Error && "exitCode" in error && typeof error.exitCode === "number";
}

/** One line, or as many as the error has, the way kubectl tells it: with "error: " unless it says so itself. */
export function failureText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /^(error: |Error from server)/.test(message) ? message : `error: ${message}`;
}

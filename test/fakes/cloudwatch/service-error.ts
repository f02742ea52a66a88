/** An error as the service answers it: its modelled name on the wire and the query-compatible code beside it. */
export class ServiceError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

export function validationError(message: string): ServiceError {
  return new ServiceError("ValidationError", message);
}

/** Everything a `catch` can look at, the very class included. */
export function errorFacts(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const fields = Object.fromEntries(Object.entries(error).map(([key, value]) => [key, plain(value)]));
  return { class: error.constructor, name: error.name, message: error.message, fields, cause: causeFacts(error.cause) };
}

/** A recorded cause may be of a class nobody exports: its name is what can be compared. */
function causeFacts(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  const { code } = cause as { code?: unknown };
  return {
    class: cause.constructor.name,
    name: cause.name,
    message: cause.message,
    code,
    cause: causeFacts(cause.cause),
  };
}

function plain(value: unknown): unknown {
  return value instanceof Headers ? [...value] : value;
}

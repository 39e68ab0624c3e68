function plain(value: unknown): unknown {
  return value instanceof Headers ? [...value] : value;
}

/** A cause may be of a class nobody exports: its name is what can be compared. */
function causeFacts(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  return { class: cause.constructor.name, name: cause.name, message: cause.message, code: Reflect.get(cause, 'code') };
}

/** Everything a `catch` can look at, the very class included; only the stack is left out. */
export function errorFacts(error: unknown): unknown {
  if (!(error instanceof Error)) return { thrown: error };
  const own = Object.entries(error).filter(([key]) => key !== 'cause');
  const fields = Object.fromEntries(own.map(([key, value]) => [key, plain(value)]));
  const { name, message, cause } = error;
  return { class: error.constructor, name, message, fields, order: Object.keys(error), cause: causeFacts(cause) };
}

/** What `act` threw, as facts; fails where it threw nothing. */
export async function thrownBy(act: () => unknown): Promise<unknown> {
  let value: unknown;
  try {
    value = await act();
  } catch (error) {
    return errorFacts(error);
  }
  throw new TypeError(`Nothing was thrown; it gave ${JSON.stringify(value)}.`);
}

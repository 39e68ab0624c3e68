/** How an act ended. */
export interface Ended {
  readonly value?: unknown;
  readonly error?: unknown;
}

/** Runs `act` and tells how it ended. */
export async function endOf(act: () => unknown): Promise<Ended> {
  try {
    return { value: await act() };
  } catch (error) {
    return { error };
  }
}

/** Everything a `catch` can look at; `isKnown`: it is an instance of the very class the host knows. */
export function errorFacts(error: unknown, errorClass: abstract new (...parameters: never[]) => Error): unknown {
  if (!(error instanceof Error)) return error;
  const fields = Object.fromEntries(Object.entries(error));
  return { isKnown: error instanceof errorClass, class: error.constructor.name, name: error.name, message: error.message, fields };
}

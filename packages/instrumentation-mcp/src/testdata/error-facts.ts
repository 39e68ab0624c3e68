/** Everything a `catch` can look at; `isKnown`: it is an instance of the very class the host knows. */
export function errorFacts(error: unknown, errorClass: abstract new (...parameters: never[]) => Error): unknown {
  if (!(error instanceof Error)) return error;
  const fields = Object.fromEntries(Object.entries(error));
  return { isKnown: error instanceof errorClass, class: error.constructor.name, name: error.name, message: error.message, fields };
}

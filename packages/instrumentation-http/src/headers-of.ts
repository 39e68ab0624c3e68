function pairOf([name, value]: readonly [unknown, unknown]): [string, string][] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((item) => [String(name), item === null ? '' : String(item)]);
}

/** Whether a value can be gone through. */
export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** The headers of a request in any of the forms undici takes them; undefined where reading them would use them up. */
export function headersOf(headers: unknown): [string, string][] | undefined {
  if (headers === undefined || headers === null) return [];
  if (Array.isArray(headers) && !Array.isArray(headers[0])) {
    return headers.flatMap((name, index) => (index % 2 === 0 ? pairOf([name, headers[index + 1]]) : []));
  }
  if (!isIterable(headers)) return Object.entries(headers as object).flatMap(pairOf);
  // An iterator that gives itself can be read once: by the one who sends it.
  const iterator: unknown = headers[Symbol.iterator]();
  if (iterator === headers) return undefined;
  return [...headers].flatMap((pair) => pairOf(pair as [unknown, unknown]));
}

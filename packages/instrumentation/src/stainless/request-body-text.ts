/** The request body as the client will send it; undefined where it is no JSON or cannot be serialised. Never throws. */
export function requestBodyText(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  try {
    return JSON.stringify(body);
  } catch {
    // The client meets the same error in a moment and throws it where the user expects it.
    return undefined;
  }
}

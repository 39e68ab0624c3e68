/** Whether a response streams server-sent events, by its content type. */
export function isEventStream(headers: Iterable<readonly [string, string]>): boolean {
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'content-type') return value.trimStart().toLowerCase().startsWith('text/event-stream');
  }
  return false;
}

/** The body of a recorded or just recorded response as text; undefined where bytes of it are not UTF-8 text. */
export function exchangeText(chunks: Iterable<Uint8Array>): string | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    let text = '';
    for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  } catch {
    return undefined;
  }
}

import { inspect } from 'node:util';

/** Said here, whatever the program has made the defaults. */
const DESCRIPTION = { colors: false, customInspect: true, depth: 1 } as const;

/**
 * Whether a stream that nobody reads yet takes byte readers. Asked of the platform's description of it: letting go of a byte reader tells as
 * well, but the first time in a process Node.js makes a whole realm for that, and the host would wait for it (docs/adr/0030).
 */
export function isByteStream(body: ReadableStream<unknown>): boolean {
  try {
    const described = /\bsupportsBYOB: (true|false)\b/.exec(inspect(body, DESCRIPTION));
    if (described !== null) return described[1] === 'true';
    body.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}

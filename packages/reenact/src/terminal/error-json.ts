import { errorsIn, type ReenactError } from '@reenact/trace-model';

/** Whether a command line asks for JSON: what follows `--` belongs to the agent's own command. */
export function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end === -1 ? words.length : end).includes('--json');
}

function plain({ code, message, where, next, retryable }: ReenactError): object {
  return { code, message, where, next, retryable };
}

/**
 * An error for programs, on one line, in the shape in which the collector's API answers with one: `{"error": {"code", "message", "where",
 * "next", "retryable"}}`. Of several at once, `errors` has each.
 */
export function errorJson(error: ReenactError): string {
  const all = errorsIn(error);
  return JSON.stringify({ error: { ...plain(error), ...(all.length === 1 ? {} : { errors: all.map(plain) }) } });
}

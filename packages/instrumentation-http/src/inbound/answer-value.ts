import type { BodyTape } from '@reenact/instrumentation';
import { CANONICAL_POLICIES, canonicalTree } from '@reenact/trace-model';
import { bodyOfTape } from '../message-body.ts';

/** Headers of an answer that say something about it, and not about when or by whom it was given. */
const comparedHeaders = ['content-type', 'content-encoding', 'content-language', 'location', 'retry-after'] as const;

/** What of an answer a replay compares: status, the headers that count, and the body, as JSON where it says that it is. */
export function answerValue(
  status: number | undefined,
  headers: ReadonlyMap<string, string>,
  tape: BodyTape,
): Readonly<Record<string, unknown>> {
  const compared = comparedHeaders.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []));
  const body = bodyOfTape(tape);
  const isEmpty = 'text' in body && body.text === '';
  const contentType = headers.get('content-type');
  const read = canonicalTree(CANONICAL_POLICIES.httpEntry, { contentType, body }, 'whole') as { body: unknown };
  return {
    ...(status === undefined ? {} : { status }),
    ...(compared.length === 0 ? {} : { headers: Object.fromEntries(compared) }),
    ...(isEmpty ? {} : { body: read.body }),
  };
}

import { type BodyTape, redactAnswer } from '@reenact/instrumentation';
import { CANONICAL_POLICIES, canonicalTree } from '@reenact/trace-model';
import { type MessageBody, plainBody } from '../message-body.ts';

/** Headers of an answer that say something about it, and not about when or by whom it was given. */
const comparedHeaders = ['content-type', 'content-encoding', 'content-language', 'location', 'retry-after'] as const;

/** What was written to answer a request, up to its end. */
export interface WrittenAnswer {
  readonly status: number | undefined;
  readonly headers: ReadonlyMap<string, string>;
  readonly tape: BodyTape;
  /** Of the request. */
  readonly url: string;
}

/** An answer as it is kept. */
export interface AnswerValue {
  readonly value: Readonly<Record<string, unknown>>;
  /** JSON pointers of what is redacted in it already. */
  readonly redacted: readonly string[];
  /** What cannot be replayed exactly: the body, where it could not be searched for secrets and is not kept. */
  readonly lossy: readonly string[];
}

interface KeptBody {
  readonly body: MessageBody;
  readonly isRedacted: boolean;
  readonly isWithheld: boolean;
}

/** The body without what the definition of its messages names as secrets: that goes by the address, which an answer does not have. */
function bodyOf({ headers, tape, url }: WrittenAnswer): KeptBody {
  const { cut } = tape;
  if (cut !== undefined) return { body: cut, isRedacted: false, isWithheld: false };
  const whole = tape.whole;
  const [contentType, coding] = ['content-type', 'content-encoding'].map((name) => headers.get(name) ?? '');
  const kept = redactAnswer({ body: whole, url, contentType: contentType ?? '', coding: coding ?? '' });
  const isWithheld = kept === undefined;
  return { body: plainBody(kept ?? Buffer.alloc(0)), isRedacted: !isWithheld && kept !== whole, isWithheld };
}

/** What of an answer a replay compares: status, the headers that count, and the body, as JSON where it says that it is. */
export function answerValue(written: WrittenAnswer): AnswerValue {
  const { status, headers } = written;
  const compared = comparedHeaders.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []));
  const { body, isRedacted, isWithheld } = bodyOf(written);
  const isEmpty = 'text' in body && body.text === '';
  const contentType = headers.get('content-type');
  const read = canonicalTree(CANONICAL_POLICIES.httpEntry, { contentType, body }, 'whole') as { body: unknown };
  const value = {
    ...(status === undefined ? {} : { status }),
    ...(compared.length === 0 ? {} : { headers: Object.fromEntries(compared) }),
    ...(isEmpty ? {} : { body: read.body }),
  };
  const lossy = isWithheld ? ['/output/body redaction-failed'] : [];
  return { value, redacted: isRedacted ? ['/body'] : [], lossy };
}

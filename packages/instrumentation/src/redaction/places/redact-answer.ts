import { messagesOfRequest } from '../messages/method-messages.ts';
import type { Redactor } from '../redactor/redactor.ts';
import { redactedBytes } from './redact-bytes.ts';

/** What a server of this process answers a request with, where its body is bytes. */
export interface AnswerBody {
  readonly body: Buffer;
  /** Of the request. */
  readonly url: string;
  readonly contentType: string;
  /** Of the body (RFC 9110, section 8.4); may be empty. */
  readonly coding: string;
}

/** The body of an answer without what the definition of its messages names as secrets; undefined where it says of none. */
export function redactedAnswer(redactor: Redactor, { body, url, ...facts }: AnswerBody): Buffer | undefined {
  const names = messagesOfRequest(url, facts.contentType)?.response;
  return names === undefined ? undefined : redactedBytes(redactor, body, { ...facts, names }).changed;
}

import { definedAttributes, type OpenCrossing, redactMembers } from '@reenact/instrumentation';
import { ATTR_ERROR_TYPE, ATTR_RPC_RESPONSE_STATUS_CODE } from '@reenact/semconv/core';
import { ANSWER_MESSAGES_MAX } from '../limits.ts';
import { patchMember } from '../patch-member.ts';
import { statusName } from '../status-name.ts';
import type { SendUnary, ServerCall } from './server-call.ts';

interface Status {
  readonly code: number;
  readonly details: string;
}

/** The status that grpc-js makes of what a handler failed with. */
function statusOf(error: unknown): Status {
  const read = (key: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, key) : undefined;
  const [code, details, message] = [read('code'), read('details'), read('message')];
  if (typeof code !== 'number' || !Number.isInteger(code))
    return { code: 2, details: String(message ?? 'Unknown Error') };
  return { code, details: String(details ?? message ?? 'Unknown Error') };
}

/** What a handler answers with beside its status. */
interface Answer {
  readonly members: Readonly<Record<string, unknown>>;
  /** JSON pointers of what is redacted in it already. */
  readonly redacted: readonly string[];
  /** JSON pointers of messages of which nothing is kept: they could not be searched for secrets. */
  readonly withheld: readonly string[];
}

const NO_ANSWER: Answer = { members: {}, redacted: [], withheld: [] };

/** Messages as they are kept: without what the names of their members make secrets, which bytes do not show any more. */
class KeptMessages {
  readonly redacted: string[] = [];
  readonly withheld: string[] = [];

  keep(message: unknown, pointer: string): unknown {
    if (typeof message !== 'object' || message === null) return message;
    const kept = redactMembers(message);
    if (kept.isWithheld === true) this.withheld.push(pointer);
    for (const below of kept.redacted) this.redacted.push(pointer + below);
    return kept.value;
  }
}

function answerOf(message: unknown): Answer {
  const kept = new KeptMessages();
  const members = { message: kept.keep(message, '/message') };
  return { members, redacted: kept.redacted, withheld: kept.withheld };
}

function streamOf(messages: readonly unknown[]): Answer {
  const kept = new KeptMessages();
  const members = { messages: messages.map((one, index) => kept.keep(one, `/messages/${index}`)) };
  return { members, redacted: kept.redacted, withheld: kept.withheld };
}

function settle(crossing: OpenCrossing, { code, details }: Status, { members, redacted, withheld }: Answer): void {
  for (const pointer of withheld) crossing.markLossy(`/output${pointer} redaction-failed`);
  const status = statusName(code);
  crossing.describe({
    slim: definedAttributes({
      [ATTR_RPC_RESPONSE_STATUS_CODE]: status,
      [ATTR_ERROR_TYPE]: code === 0 ? undefined : status,
    }),
  });
  crossing.settle({
    type: 'returned',
    value: { status, ...(code === 0 ? {} : { details }), ...members },
    redacted,
  });
}

/** The callback a handler answers with, watched: its run ends with the status and the message, after `ending`. */
export function watchedCallback(callback: SendUnary, crossing: OpenCrossing, ending: () => void): SendUnary {
  return (error, value, trailer, flags) => {
    ending();
    const hasFailed = error !== undefined && error !== null && error !== false;
    settle(crossing, hasFailed ? statusOf(error) : { code: 0, details: '' }, hasFailed ? NO_ANSWER : answerOf(value));
    callback(error, value, trailer, flags);
  };
}

/** Watches a handler that answers with a stream: its run ends with the status and all messages, after `ending`. */
export function watchStream(call: ServerCall, crossing: OpenCrossing, ending: () => void): void {
  const messages: unknown[] = [];
  let count = 0;
  patchMember(call, 'write', (message) => {
    count += 1;
    if (messages.length < ANSWER_MESSAGES_MAX) messages.push(message);
  });
  patchMember(call, 'end', () => {
    ending();
    // Set by the stream itself when an error was emitted on it.
    const pending = Reflect.get(call, 'pendingStatus') as Status | undefined;
    const answer = streamOf(messages);
    const kept = count > messages.length ? { ...answer, members: { ...answer.members, count } } : answer;
    if (count > messages.length) crossing.markLossy('/output/messages too-many');
    settle(crossing, pending ?? { code: 0, details: '' }, kept);
  });
}

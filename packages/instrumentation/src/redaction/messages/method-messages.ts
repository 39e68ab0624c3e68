import { processGlobal, processState } from '@reenact/trace-model';
import { WeakList } from '../../host/weak-list.ts';
import { ADDRESS_CHARACTERS_SEARCHED_MAX } from '../../limits.ts';
import { holdsEnding } from '../text/holds-ending.ts';
import type { MessageNames } from './message-names.ts';

/** What the messages of one method are. */
export interface MethodMessages {
  readonly request: MessageNames | undefined;
  readonly response: MessageNames | undefined;
}

/** Tells them by `/<package>.<service>/<method>`. */
export type MethodSource = (path: string) => MethodMessages | undefined;

const sources = processState('method-messages.1', () => new Set<MethodSource>());
/** Of copies in contexts of `node:vm`, one for each test file of Jest: they go with their context. */
const ofContexts = processState('context-method-sources.1', () => new WeakList<MethodSource>());

/** From now on methods over HTTP are asked of this source, too; one of a context inside of the process as long as its copy keeps it. */
export function addMethodSource(source: MethodSource): void {
  if (processGlobal() === globalThis) sources.add(source);
  else ofContexts.add(source);
}

function hasSources(): boolean {
  return sources.size > 0 || !ofContexts.isEmpty;
}

const protobufType = /^application\/(?:connect\+|grpc(?:-web(?:-text)?)?(?:\+|$)|(?:x-)?proto)/i;
const methodPath = /\/[\w.]+\/\w+$/;

/** What a request and its answer hold, by the end of its address; undefined where that names no known method, or they are not protobuf. */
export function messagesOfRequest(url: string, contentType: string): MethodMessages | undefined {
  if (!hasSources() || !protobufType.test(contentType)) return undefined;
  const [path] = methodPath.exec(url.replace(/[?#].*$/s, '')) ?? [];
  if (path === undefined) return undefined;
  for (const source of [...sources, ...ofContexts.members()]) {
    const found = source(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The cheap first look: whether a text may be an address with a message in it, as a `GET` of Connect has. */
export function mayHoldMessage(text: string): boolean {
  return holdsEnding(text, 'messa', 'ge=') && text.includes('encoding=');
}

/** Of the members of a recorded request the first are short. */
const HEAD_CHARACTERS = 4_096;

const addressMember = '"url":"';

/** What is left of an address in the JSON that it is written in: up to its end, or all of what is looked at. */
const restOfAddress = /^(?:[^"\\]|\\.)*/s;

/** Whether a message may be in the address whose text begins there. Where that has no end near by, one of the two parameters is enough. */
function mayHoldMessageAt(data: string, start: number): boolean {
  // An image may stand there as well: a pattern over megabytes of it overflows the stack.
  const near = data.slice(start, start + ADDRESS_CHARACTERS_SEARCHED_MAX);
  const [address = ''] = restOfAddress.exec(near) ?? [];
  if (near.charAt(address.length) === '"') return mayHoldMessage(address);
  return near.includes('message=') || near.includes('encoding=');
}

/** Whether a recorded value may be a request whose message is in its address, or has names: in its bytes none can be seen. */
export function mayHoldNamedMessage(data: string): boolean {
  const head = data.slice(0, HEAD_CHARACTERS);
  if (/"contentType":"application\/grpc-web-text/i.test(head)) return true;
  if (hasSources() && /"contentType":"application\/[a-z+-]*(?:grpc|proto)/i.test(head)) return true;
  const start = head.indexOf(addressMember);
  return start >= 0 && mayHoldMessageAt(data, start + addressMember.length);
}

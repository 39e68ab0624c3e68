import { processState } from '@reenact/trace-model';
import type { MessageNames } from './message-names.ts';

/** What the messages of one method are. */
export interface MethodMessages {
  readonly request: MessageNames | undefined;
  readonly response: MessageNames | undefined;
}

/** Tells them by `/<package>.<service>/<method>`. */
export type MethodSource = (path: string) => MethodMessages | undefined;

const sources = processState('method-messages.1', () => new Set<MethodSource>());

/** From now on methods over HTTP are asked of this source, too. */
export function addMethodSource(source: MethodSource): void {
  sources.add(source);
}

const protobufType = /^application\/(?:connect\+|grpc(?:-web)?\+|grpc(?:-web)?$|(?:x-)?proto)/i;
const methodPath = /\/[\w.]+\/\w+$/;

/** What a request and its answer hold, by the end of its address; undefined where that names no known method, or they are not protobuf. */
export function messagesOfRequest(url: string, contentType: string): MethodMessages | undefined {
  if (sources.size === 0 || !protobufType.test(contentType)) return undefined;
  const [path] = methodPath.exec(url.replace(/[?#].*$/s, '')) ?? [];
  if (path === undefined) return undefined;
  for (const source of sources) {
    const found = source(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Of the members of a recorded request the first are short. */
const HEAD_CHARACTERS = 4_096;

/** Whether a recorded value may be a request whose message has names: in its bytes none can be seen. */
export function mayHoldNamedMessage(data: string): boolean {
  return sources.size > 0 && /"contentType":"application\/[a-z+-]*(?:grpc|proto)/i.test(data.slice(0, HEAD_CHARACTERS));
}

import { addMethodSource, guarded, type MethodMessages } from '@reenact/instrumentation';
import { DefinitionFiles } from './definition-files.ts';
import { generatedMethod } from './generated-files.ts';

const unknown: MethodMessages = { request: undefined, response: undefined };
const learned = new Map<string, MethodMessages>();
/** The methods that are known to answer by a stream. */
const streams = new Set<string>();
const services = new WeakSet<object>();
/** By the list they came in: all methods of a package share one. */
const files = new WeakMap<object, DefinitionFiles>();

function filesIn(message: unknown): DefinitionFiles | undefined {
  const list: unknown =
    typeof message === 'object' && message !== null ? Reflect.get(message, 'fileDescriptorProtos') : undefined;
  if (!Array.isArray(list)) return undefined;
  const read = files.get(list) ?? new DefinitionFiles(list.filter((file) => file instanceof Uint8Array));
  files.set(list, read);
  return read;
}

function learnMethod(method: unknown): void {
  if (typeof method !== 'object' || method === null) return;
  const path: unknown = Reflect.get(method, 'path');
  if (typeof path !== 'string') return;
  if (Reflect.get(method, 'responseStream') === true) learnStream(path);
  const messages = filesIn(Reflect.get(method, 'requestType'))?.methodAt(path);
  if (messages !== undefined) learned.set(path, messages);
}

/** Learns of a method by its path that it answers by a stream. */
export function learnStream(path: unknown): void {
  if (typeof path === 'string') streams.add(path);
}

/** Whether a method is known to answer by a stream. */
export function answersByStream(path: unknown): boolean {
  return typeof path === 'string' && streams.has(path);
}

/**
 * Learns what the messages of a service hold from its definition, where that brings its files, as those of `@grpc/proto-loader` do.
 * Generated code brings none. Each definition is read once. Never throws.
 */
export function learnService(service: unknown): void {
  guarded(
    'reading a service definition',
    () => {
      if (typeof service !== 'object' || service === null || services.has(service)) return;
      services.add(service);
      for (const method of Object.values(service)) learnMethod(method);
    },
    undefined,
  );
}

function knownMethod(path: string): MethodMessages | undefined {
  return learned.get(path) ?? guarded('reading generated code', () => generatedMethod(path), undefined);
}

addMethodSource(knownMethod);

/** What is known of the messages of a method. */
export function messagesOfMethod(path: string): MethodMessages {
  return knownMethod(path) ?? unknown;
}

import { context as contexts } from '@opentelemetry/api';
import { contextWithIdentity } from '@reenact/instrumentation';
import type { Crossing } from '@reenact/trace-model';
import type { EntryFunction } from '../config/entry-function.ts';
import { recordedIdentity } from './recorded-identity.ts';

/** How many chunks of a stream the recorded agent asked for; undefined where it read to the end. */
function chunksWanted({ outcome }: Crossing): number | undefined {
  return outcome.type === 'aborted' ? outcome.chunks.length : undefined;
}

function isStreamed({ outcome }: Crossing): boolean {
  return outcome.type === 'ended' || outcome.type === 'failed' || outcome.type === 'aborted';
}

function hasMethod(value: unknown, name: PropertyKey): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function';
}

async function readChunks(stream: AsyncIterable<unknown> | Iterable<unknown>, wanted: number): Promise<unknown[]> {
  const chunks: unknown[] = [];
  if (wanted === 0) return chunks;
  for await (const chunk of stream) {
    chunks.push(chunk);
    if (chunks.length >= wanted) break;
  }
  return chunks;
}

/**
 * Calls the function as the crossing was called when it was recorded and for whom it was, and reads what it gives as far as it
 * was read then: a stream that nobody reads has no outcome. Gives what the function resolved to, for a stream the array of its chunks.
 */
export async function callEntry(
  entry: EntryFunction,
  crossing: Crossing,
  parameters: readonly unknown[],
): Promise<unknown> {
  const around = contextWithIdentity(contexts.active(), recordedIdentity(crossing));
  const result = await contexts.with(around, () => Reflect.apply(entry, undefined, [...parameters]));
  if (!isStreamed(crossing)) return result;
  if (!hasMethod(result, Symbol.asyncIterator) && !hasMethod(result, Symbol.iterator)) return result;
  const wanted = chunksWanted(crossing) ?? Number.POSITIVE_INFINITY;
  return readChunks(result as AsyncIterable<unknown>, wanted);
}

import type { SpanReference, Store, StoredSpan } from '../../store/store.ts';
import { RECORDING_PIECE_BYTES, RECORDING_PIECE_SPANS } from '../limits.ts';

/** Spans in order, in parts of a bounded size, each read when it is asked for: readers that are slow hold one of them, and no whole trace. */
export async function* spansInParts(
  store: Store,
  references: readonly SpanReference[],
): AsyncGenerator<readonly StoredSpan[]> {
  for (let from = 0; from < references.length; ) {
    const spans = await store.readSpans(references.slice(from, from + RECORDING_PIECE_SPANS), RECORDING_PIECE_BYTES);
    from += spans.length;
    yield spans;
  }
}

import { decodeValue, encodeValue, payloadOf } from '@reenact/trace-model';

/** An error as an exchange holds it: the tagged JSON of the value codec. Never throws. */
export function exchangeError(thrown: unknown): unknown {
  const { payload } = encodeValue(thrown);
  const tree: unknown = JSON.parse(payload.data ?? 'null');
  // Plain JSON that was thrown (`throw 'text'`) stays plain; the codec reads both the same way.
  return tree;
}

/** The thrown value of an exchange's `error`, made anew each time: class, message, code, own fields and cause. */
export function thrownOf(error: unknown): unknown {
  return decodeValue(payloadOf('js', JSON.stringify(error)));
}

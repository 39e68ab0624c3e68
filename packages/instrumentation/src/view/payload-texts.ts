import type { CrossingFacts, RecordedOutcome } from '../gate/crossing-facts.ts';

type Exchanges = CrossingFacts['exchanges'];
type Chunks = NonNullable<RecordedOutcome['chunks']>;

const exchangesTexts = new WeakMap<Exchanges, string>();
const chunksTexts = new WeakMap<Chunks, string>();

function kept<Key extends object>(texts: WeakMap<Key, string>, key: Key, write: (key: Key) => string): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = write(key);
  texts.set(key, text);
  return text;
}

/** The JSON of `reenact.exchanges`; written once for the spool and the exporter. */
export function exchangesText(exchanges: Exchanges): string {
  return kept(exchangesTexts, exchanges, JSON.stringify);
}

/** The JSON of `reenact.output.chunks`, of a list that does not grow any more; written once for the spool and the exporter. */
export function chunksText(chunks: Chunks): string {
  return kept(chunksTexts, chunks, (list) =>
    JSON.stringify(
      list.map(({ offsetUs, microtasks, value: { payload } }) =>
        microtasks === undefined
          ? [offsetUs, payload.format, payload.data]
          : [offsetUs, payload.format, payload.data, microtasks],
      ),
    ),
  );
}

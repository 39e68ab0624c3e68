import type { JsonLeaf } from '../text/json-leaves.ts';

/** Members that tell apart the streams that run through one sequence of events. */
const tellingApart: ReadonlySet<string> = new Set([
  'index',
  'output_index',
  'content_index',
  'summary_index',
  'item_id',
]);
const tellingApartAtTop: ReadonlySet<string> = new Set(['type', 'id', 'event']);

interface Discriminator {
  /** The members above it, joined, with what ends them; empty at the top. */
  readonly above: string;
  readonly text: string;
}

function discriminators(leaves: readonly JsonLeaf[]): Discriminator[] {
  const found: Discriminator[] = [];
  for (const { steps, value } of leaves) {
    const name = steps.at(-1) ?? '';
    if (!tellingApart.has(name) && !(steps.length === 1 && tellingApartAtTop.has(name))) continue;
    found.push({ above: steps.slice(0, -1).join('\n'), text: `${name}=${value}` });
  }
  return found;
}

/** Of each leaf of one event, what its stream is called: leaves with the same key continue one another from event to event. */
export function streamKeys(leaves: readonly JsonLeaf[]): string[] {
  const telling = discriminators(leaves);
  return leaves.map(({ steps }) => {
    let key = steps.join('\n');
    const path = key;
    for (const { above, text } of telling) {
      if (above === '' || path.startsWith(`${above}\n`)) key += `\u0000${text}`;
    }
    return key;
  });
}

/** How many characters a text has at least that repeats an id or a model's name rather than goes on with a text. */
export const REPEATED_CHARACTERS_MIN = 9;

/** Whether a text is the same as the one before and no piece of a text that goes on. */
export function isRepeated(text: string, before: string | undefined): boolean {
  return text.length >= REPEATED_CHARACTERS_MIN && text === before;
}

import type { Attributes } from '@opentelemetry/api';
import { offPair } from '@reenact/trace-model';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { contentView } from './content-view.ts';
import { type HostContentPolicy, shownCharacters } from './host-content.ts';
import { inputReader, type ReadInput } from './input-tree.ts';

const cutMark = '…';

/** The beginning of a text; a character that two units make is kept whole or left out. */
function cut(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  return `${text.slice(0, offPair(text, charactersMax))}${cutMark}`;
}

function cutValue(value: Attributes[string], charactersMax: number): Attributes[string] {
  if (typeof value === 'string') return cut(value, charactersMax);
  if (!Array.isArray(value)) return value;
  return value.map((item) => (typeof item === 'string' ? cut(item, charactersMax) : item)) as Attributes[string];
}

/** All content attributes of a crossing; none below full capture. */
export function wholeContent(facts: CrossingFacts, readInput: ReadInput): Attributes {
  return facts.boundary.capture === 'full' ? Object.assign(contentView(facts, readInput), facts.content) : {};
}

/** What of a crossing's content the app's own exporters may see. */
export function shownContent(facts: CrossingFacts, policy: HostContentPolicy): Attributes {
  const charactersMax = shownCharacters(policy);
  if (charactersMax === 0) return {};
  const entries = Object.entries(wholeContent(facts, inputReader(facts)));
  return Object.fromEntries(entries.map(([key, value]) => [key, cutValue(value, charactersMax)]));
}

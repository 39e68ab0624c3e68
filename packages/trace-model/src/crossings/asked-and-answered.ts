import { isTree } from '../json/json-tree.ts';
import type { ShownCrossing } from './crossing.ts';
import { failurePreview, knownInput, knownResult, modelOutput, shownPayload } from './crossing-preview.ts';
import { isEntry } from './is-entry.ts';
import { httpBodyText } from './said-text.ts';

/** What values say that say nothing. */
const NOTHING: ReadonlySet<string> = new Set(['', '[]', '{}', 'null']);

/** Of a request its body, else its address where that asks something. */
function entryText(crossing: ShownCrossing, charactersMax: number): string | undefined {
  const tree = crossing.input === undefined ? undefined : shownPayload(crossing.input, charactersMax);
  if (!isTree(tree) || typeof tree.url !== 'string') return knownInput(crossing, charactersMax);
  return httpBodyText(tree) ?? (tree.url.includes('?') ? tree.url : undefined);
}

/**
 * What an agent or a model was asked, for people; undefined where that is nothing, or not known. `charactersMax`: as for `inputPreview`.
 * Throws SyntaxError where a payload is not what it says.
 */
export function askedText(crossing: ShownCrossing, charactersMax: number): string | undefined {
  const text = isEntry(crossing) ? entryText(crossing, charactersMax) : knownInput(crossing, charactersMax);
  const asked = crossing.kind === 'model' ? text?.replace(/^user: /, '') : text;
  return asked === undefined || NOTHING.has(asked) ? undefined : asked;
}

/** What an agent or a model answered or failed with, likewise; undefined of a request's answer, which says what its model said in other words. */
export function answeredText(crossing: ShownCrossing, charactersMax: number): string | undefined {
  const { kind, outcome } = crossing;
  if (outcome.type === 'threw' || outcome.type === 'failed') return `✗ ${failurePreview(crossing, charactersMax)}`;
  if (outcome.type !== 'returned' && outcome.type !== 'ended') return undefined;
  const value = outcome.type === 'returned' ? outcome.value : undefined;
  const result = kind === 'model' || isEntry(crossing) ? undefined : knownResult(crossing, value, charactersMax);
  const answered = kind === 'model' ? modelOutput(crossing, charactersMax) : result;
  return answered === undefined || NOTHING.has(answered) ? undefined : answered;
}

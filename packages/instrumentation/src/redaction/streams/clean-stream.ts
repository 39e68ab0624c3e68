import type { Redactor } from '../redactor/redactor.ts';
import { beginsDocument } from '../rules/document-spans.ts';
import { isEscaped } from '../rules/escape-spans.ts';
import { PLACEHOLDER_START } from '../text/placeholder.ts';
import { secrecyOfName } from '../text/secret-names.ts';
import type { TextPart } from '../text/text-part.ts';
import { beginPacked, PACKING_BEGINNING_BYTES } from '../text/unpacker.ts';
import { type ReadValue, type RunningText, StreamReader } from './stream-reader.ts';

/** What the parts of a text hold when each is taken apart. */
type Judge = (parts: readonly TextPart[]) => {
  readonly edits: readonly unknown[];
  readonly pointers: readonly unknown[];
  readonly unread: readonly unknown[];
};

/** How many digits a number has at least in which a rule may find something. */
const NUMBER_DIGITS_MIN = 12;

/** What does not only count as a piece of a longer text, but may be a secret by its own form. */
function countsAlone({ leaf, value }: ReadValue): boolean {
  return leaf.isNumber ? value.length >= NUMBER_DIGITS_MIN : value.includes('%') || isEscaped(value);
}

/** What a rule may find in it that finds nothing where other texts stand around it. */
function isSpecial(read: ReadValue): boolean {
  return read.leaf.isNumber || isNamedLikeSecret(read) || beginsDocument(read.value);
}

function isNamedLikeSecret({ leaf: { name } }: ReadValue): boolean {
  return name !== undefined && secrecyOfName(name) !== undefined;
}

function holdsRunning(redactor: Redactor, { pieces }: RunningText, whole: string): boolean {
  if (!redactor.mayHold(whole)) return false;
  let position = 0;
  const seams = pieces.map((piece) => {
    position += piece.length;
    return position;
  });
  return redactor.spans(whole, [], seams.slice(0, -1)).length > 0;
}

function holdsAlone(redactor: Redactor, values: readonly ReadValue[]): boolean {
  const together = values.map(({ value }) => value).join('\n');
  if (together.includes(PLACEHOLDER_START)) return true;
  if (redactor.mayHold(together) && redactor.spans(together).length > 0) return true;
  return values.filter(isSpecial).some(({ leaf, value }) => redactor.leafEdits({ ...leaf, value }).length > 0);
}

/**
 * Whether no rule can find anything in events that came one by one, each a part of the text. Cheap where that is so, which it
 * nearly always is; false where only taking them all apart can tell. Never throws.
 */
export function isCleanStream(redactor: Redactor, text: string, parts: readonly TextPart[], judge: Judge): boolean {
  if (redactor.hasUserRules) return false;
  const reader = new StreamReader();
  for (const part of parts) reader.read(text, part);
  const { unlike, values } = reader;
  const running = reader.texts().map((one) => ({ one, whole: one.pieces.join('') }));
  // No rule reaches over the end of a line without the introduction it needs being seen.
  const look = [
    ...unlike.map(({ start, end }) => text.slice(start, end)),
    ...running.map(({ whole }) => whole),
    ...values.filter(countsAlone).map(({ value }) => value),
  ];
  if (!redactor.mayHold(look.join('\n'))) return true;
  const beginsPacked = ({ whole }: { readonly whole: string }): boolean =>
    beginPacked(Buffer.from(whole.slice(0, PACKING_BEGINNING_BYTES), 'latin1'));
  if (running.some(beginsPacked)) return false;
  if (running.some(({ one, whole }) => holdsRunning(redactor, one, whole)) || holdsAlone(redactor, values))
    return false;
  const { edits, pointers, unread } = judge(unlike);
  return edits.length === 0 && pointers.length === 0 && unread.length === 0;
}

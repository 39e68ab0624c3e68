import { PREVIEW_CHARACTERS_MAX } from './limits.ts';
import { offPair } from './off-pair.ts';
import { copiedStart } from './summaries/copied-start.ts';

/** As much of a text as a tree shows, on one line. */
export function beginningOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= PREVIEW_CHARACTERS_MAX
    ? line
    : `${copiedStart(line, offPair(line, PREVIEW_CHARACTERS_MAX - 1))}…`;
}

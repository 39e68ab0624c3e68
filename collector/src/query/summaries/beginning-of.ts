import { PREVIEW_CHARACTERS_MAX } from '../limits.ts';
import { copiedStart } from './copied-start.ts';

/** As much of a text as a tree shows, or so many characters, on one line. */
export function beginningOf(text: string, charactersMax = PREVIEW_CHARACTERS_MAX): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= charactersMax ? line : `${copiedStart(line, charactersMax - 1)}…`;
}

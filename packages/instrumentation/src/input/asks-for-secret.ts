import { secrecyOfName } from '../redaction/text/secret-names.ts';

/** How frames around a question begin the lines behind it. */
const framePattern = /^\s*[│┃└┗|]/;

/** The line of an output that a program asks by: the last one, or the one above the frame that the output ends with. */
function questionIn(shown: string): string {
  const lines = shown.split('\n');
  const isOpen = (line: string): boolean => line.trim() !== '' && !framePattern.test(line);
  const above = lines.findLastIndex(isOpen);
  const isFramed = lines.slice(above + 1).some((line) => framePattern.test(line));
  return (isFramed ? lines[above] : lines.at(-1)) ?? '';
}

/** Whether a program whose output ends so asks for something that is not to be recorded: a password, a key of an API. `shown`: without codes of a terminal. */
export function asksForSecret(shown: string): boolean {
  const words =
    questionIn(shown)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  return words.some((word, index) =>
    [word, `${word}${words[index + 1] ?? ''}`].some((name) => secrecyOfName(name) === 'secret'),
  );
}

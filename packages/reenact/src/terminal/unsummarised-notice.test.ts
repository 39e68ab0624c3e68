import { expect, it } from 'vitest';
import { printUnsummarised } from './unsummarised-notice.ts';

function printed(unsummarisedRuns?: number): string[] {
  const lines: string[] = [];
  const err = (text: string) => void lines.push(text);
  const terminal = {
    out: () => expect.fail('this is no result'),
    data: () => undefined,
    err,
    colour: false,
    columns: 80,
    wraps: false,
  };
  printUnsummarised(unsummarisedRuns === undefined ? {} : { unsummarisedRuns }, terminal);
  return lines;
}

it('says how many runs an answer may lack, and nothing where it lacks none', () => {
  expect(printed()).toEqual([]);
  expect(printed(1)).toEqual(['1 run is still being summarised; ask again.']);
  expect(printed(1204)).toEqual(['1,204 runs are still being summarised; ask again.']);
});

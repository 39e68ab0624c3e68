import { randomInt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { IndexState } from '../database/index-state.ts';
import { inStep, resetSummaries } from '../database/reset-summaries.ts';
import { createSearchFile, readSearchStamp, removeSearchFile } from './open-search-file.ts';

const ID_END = 2 ** 48 - 1;

/** Whether summaries hold nothing of what was said. */
const WITHOUT_EXCERPTS = 'without_excerpts';

/** Summaries that were made while text was kept begin with what was asked and answered: they are made again without. */
function removeExcerpts(index: DatabaseSync, state: IndexState): void {
  if (state.read(WITHOUT_EXCERPTS) === 1) return;
  resetSummaries(index, 'all');
  inStep(index, () => state.write(WITHOUT_EXCERPTS, 1));
}

/**
 * Sees to it that the search file is that of this index and holds all the index thinks it does. One
 * that is missing, damaged, of another index or an older copy is made anew, and every trace is summarised again. Where no text is
 * kept there is none.
 */
export function matchSearchFile(index: DatabaseSync, dataDirectory: string): void {
  const state = new IndexState(index);
  if (state.read('without_text') === 1) {
    removeSearchFile(dataDirectory);
    removeExcerpts(index, state);
    return;
  }
  if (state.read(WITHOUT_EXCERPTS) === 1) inStep(index, () => state.write(WITHOUT_EXCERPTS, 0));
  const stamp = readSearchStamp(dataDirectory);
  if (stamp?.id === state.read('search_id') && stamp.generation >= state.read('search_generation')) return;
  const id = randomInt(1, ID_END);
  createSearchFile(dataDirectory, id);
  resetSummaries(index, 'revisions');
  // Last: until then the file is of another index, and all of this is done again.
  inStep(index, () => {
    state.write('search_id', id);
    state.write('search_generation', 0);
    index.exec('DELETE FROM text_erasure');
  });
}

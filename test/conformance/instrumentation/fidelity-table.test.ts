import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entryLibraries } from './entries/entry-libraries.ts';
import { fidelityLibraries } from './fidelity-libraries.ts';
import { renderFidelityTable } from './fidelity-table.ts';

describe('docs/fidelity.md', () => {
  it('says what this suite proves; run `npm run generate` where it does not', () => {
    const written = readFileSync(new URL('../../../docs/fidelity.md', import.meta.url), 'utf8');
    expect(written).toBe(renderFidelityTable(fidelityLibraries, entryLibraries));
  });

  it('gives a whole sentence for every cell that cannot work', () => {
    const numbered = renderFidelityTable(fidelityLibraries, entryLibraries)
      .split('\n')
      .filter((line) => /^\d+\. /.test(line));
    for (const line of numbered) expect(line).toMatch(/^\d+\. [A-Z`].{20,}\.$/);
  });
});

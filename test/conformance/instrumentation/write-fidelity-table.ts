import { writeFileSync } from 'node:fs';
import { entryLibraries } from './entries/entry-libraries.ts';
import { fidelityLibraries } from './fidelity-libraries.ts';
import { renderFidelityTable } from './fidelity-table.ts';

// Run by `npm run generate`.
writeFileSync(
  new URL('../../../docs/fidelity.md', import.meta.url),
  renderFidelityTable(fidelityLibraries, entryLibraries),
);

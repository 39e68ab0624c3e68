import { writeFileSync } from 'node:fs';
import { fidelityLibraries } from './fidelity-libraries.ts';
import { renderFidelityTable } from './fidelity-table.ts';

// Run by `npm run generate`.
writeFileSync(new URL('../../../docs/fidelity.md', import.meta.url), renderFidelityTable(fidelityLibraries));

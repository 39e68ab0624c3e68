import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';
import { fidelityLibraries } from './fidelity-libraries.ts';
import type { FidelityLibrary } from './fidelity-library.ts';

function isHere({ program }: FidelityLibrary): boolean {
  return program === undefined || spawnSync(program, ['--version']).status === 0;
}

/** A suite for every row of the table; rows whose server is not installed are reported by name as not run. */
export function describeLibraries(condition: string, suite: (library: FidelityLibrary) => void): void {
  for (const library of fidelityLibraries) {
    describe.runIf(isHere(library))(`${library.name}${condition}`, () => suite(library));
  }
}

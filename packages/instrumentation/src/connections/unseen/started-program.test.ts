import { describe, expect, it } from 'vitest';
import { startedByLine, startedProgram } from './started-program.ts';

describe('a program that is started by a line of a shell', () => {
  it.each([
    ['node agent.ts ACME', 'node'],
    [`node agent.ts 'a; b' "c | d"`, 'node'],
    ['set -euo pipefail;node agent.ts ACME', 'node'],
    ['node agent.ts | tee kept', 'sh'],
    ['cd folder && node agent.ts', 'sh'],
    ['node "$(cat name)"', 'sh'],
    ['set -euo pipefail;git status', 'git'],
    ['git log | head', 'git'],
  ])('is in %s: %s', (line, program) => {
    expect([startedByLine(line), startedProgram('/bin/sh', ['/bin/sh', '-c', line])]).toEqual([program, program]);
  });
});

import { expect, it } from 'vitest';
import { commandOf } from './replay-environment.ts';

it.each([
  ['a shell that is a program of its own', { program: '/bin/sh', parameters: ['-c', 'node agent.ts ACME'] }],
  ['a shell that is asked for', { program: 'node agent.ts ACME', shell: '/bin/sh' }],
  ['no shell', { program: 'node', parameters: ['agent.ts', 'ACME'] }],
])('the command is the same by %s', (_, started) => {
  expect(commandOf({ ...started, env: {} })).toEqual(['node', 'agent.ts', 'ACME']);
});

it.each([[['-c', 'node agent.ts; rm -r kept']], [['-c', 'node $1', 'agent.ts']], [['-lc', 'node agent.ts']]])(
  'a shell that is given %j does something else',
  (parameters) => {
    expect(commandOf({ program: '/bin/sh', parameters, env: {} })?.[0]).not.toBe('node');
  },
);

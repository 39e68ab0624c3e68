import { ReenactError } from '@reenact/trace-model';
import { expect, it } from 'vitest';
import type { Terminal } from '../terminal/terminal.ts';
import { printSessionMarkdown } from './session-report.ts';

it('keeps a name that a recording made up in its cell, and a title from being markup', () => {
  const lines: string[] = [];
  const out = (text: string) => void lines.push(text);
  const terminal: Terminal = { out, err: out, data: out, colour: false, columns: 80, wraps: false };
  const run = {
    traceId: 'a'.repeat(32),
    rootSpanId: 'b'.repeat(16),
    name: 'agent:x\n\n# heading @octocat `y` |\n',
    startedAt: '2026-11-30T12:00:00.000Z',
  };
  const error = new ReenactError('not-found', 'It is gone.');
  printSessionMarkdown('Session @octocat https://evil.example', [{ run, report: undefined, error }], terminal);
  const text = lines.join('\n');
  expect(text).toContain('## Session `@octocat` `https://evil.example:` 0 of 1 runs reproduced.');
  expect(text.split('\n').filter((line) => line.startsWith('| `1`'))).toEqual([
    expect.stringContaining('| `` agent:x  # heading @octocat `y` \\|  `` | `bbbbbbbbbbbbbbbb` |'),
  ]);
  expect(text).not.toMatch(/^# heading/m);
});

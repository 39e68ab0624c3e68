import { expect, it } from 'vitest';
import { replayabilityLines } from './render-run.ts';

const out = () => undefined;
const terminal = { out, err: out, data: out, colour: false };
const lacking = {
  verdict: 'partial',
  missing: [
    { cause: 'unseen-connection', where: 'agent:surfer', detail: 'program chromium by playwright-core' },
    { cause: 'unseen-connection', where: 'agent:surfer', detail: 'file /srv/browsers/4711 by playwright-core' },
  ],
} as const;

it('says of what nothing recorded only what was seen, on lines that fit a terminal', () => {
  const lines = replayabilityLines(lacking, { ...terminal, columns: 80, wraps: true });
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines.slice(0, 3)).toEqual([
    'replayability: partial — it replays, with these limits',
    '  unseen-connection: The agent changed a file that is not temporary and',
    '    started a program, and nothing recorded it; a replay refuses that. Change a',
  ]);
  expect(lines.join(' ')).not.toContain('datagram');
});

it('stands on one line each in a pipe', () => {
  const lines = replayabilityLines(lacking, { ...terminal, columns: 120, wraps: false });
  expect(lines).toHaveLength(3);
  expect(lines[2]).toBe(
    '    agent:surfer program chromium by playwright-core; agent:surfer file /srv/browsers/4711 by playwright-core',
  );
});

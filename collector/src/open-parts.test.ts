import { expect, it } from 'vitest';
import { createLog } from './logging/log.ts';
import { OpenParts } from './open-parts.ts';

function setUp() {
  const lines: Record<string, unknown>[] = [];
  const third = Promise.withResolvers<void>();
  const log = createLog('info', (line) => {
    lines.push(JSON.parse(line));
    if (lines.length === 3) third.resolve();
  });
  return { lines, third: third.promise, log };
}

it('says what a stop waits for while it takes long, again and again, with what is open of it at the time', async () => {
  const { lines, third, log } = setUp();
  const parts = new OpenParts(log, { quietMs: 20, tellEveryMs: 20 });
  let requests = 3;
  parts.add({ waitsFor: 'settling', close: () => Promise.resolve() });
  parts.add({ waitsFor: 'requests', close: () => third, tell: () => ({ requests: requests-- }) });
  await parts.close();
  expect(lines).toMatchObject([
    { level: 'info', event: 'stopping' },
    { level: 'warn', event: 'stop takes long', seconds: 0, waitsFor: 'requests', requests: 3 },
    { level: 'warn', event: 'stop takes long', waitsFor: 'requests', requests: 2 },
  ]);
});

it('closes in the reverse order, also what stands behind something that fails, and throws that', async () => {
  const { lines, log } = setUp();
  const parts = new OpenParts(log);
  const closed: string[] = [];
  parts.add({ waitsFor: 'store', close: async () => void closed.push('store') });
  parts.add({ waitsFor: 'requests', close: () => Promise.reject(new Error('no')) });
  parts.add({ waitsFor: 'readers', close: async () => void closed.push('readers') });
  await expect(parts.close()).rejects.toThrow('no');
  await parts.close();
  expect(closed).toEqual(['readers', 'store']);
  expect(lines).toMatchObject([{ event: 'stopping' }]);
});

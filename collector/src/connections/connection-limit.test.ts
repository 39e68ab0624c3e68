import { describe, expect, it } from 'vitest';
import { createLog } from '../logging/log.ts';
import { ConnectionLimit } from './connection-limit.ts';

function toldWith(openFilesMax: number): unknown[] {
  const lines: string[] = [];
  new ConnectionLimit(openFilesMax).tellScarce(createLog('warn', (line) => lines.push(line)));
  return lines.map((line) => JSON.parse(line));
}

describe('the open files that a collector may have', () => {
  it('are told about where connections have little of them', () => {
    expect(toldWith(64)).toMatchObject([
      { event: 'open files are scarce', openFilesMax: 64, connectionsMax: 1, next: expect.stringContaining('ulimit') },
    ]);
  });

  it.each([192, 1024, Number.MAX_SAFE_INTEGER])('are not where there are %d', (openFilesMax) => {
    expect(toldWith(openFilesMax)).toEqual([]);
  });
});

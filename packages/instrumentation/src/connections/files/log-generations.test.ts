import { describe, expect, it } from 'vitest';
import { LogGenerations } from './log-generations.ts';

function generationsOf(...logs: readonly string[]): LogGenerations {
  const generations = new LogGenerations();
  for (const log of logs) generations.add(log);
  return generations;
}

describe('the generations of a log', () => {
  it.each(['app.log', 'app.log.1', 'app.12.log', 'app-2026-11-29.log', 'app1.log.gz', '20261129-0310-01-app.log.gz'])(
    'are told by their names: %s',
    (name) => {
      const generations = generationsOf('/logs/app.log');
      expect(generations.turnsOver('unlinkSync', [`/logs/${name}`])).toBe(true);
      expect(generations.turnsOver('rename', ['/logs/app.log', `/logs/${name}`])).toBe(true);
    },
  );

  it.each(['/logs/app.old.log', '/logs/app.json', '/logs/other.log', '/logs/old/app.log.1', '/app.log'])(
    'are no other files: %s',
    (path) => {
      const generations = generationsOf('/logs/app.log');
      expect(generations.turnsOver('unlink', [path])).toBe(false);
      expect(generations.turnsOver('rename', ['/logs/app.log', path])).toBe(false);
    },
  );

  it('are renamed and removed, and their folder made, and nothing else', () => {
    const generations = generationsOf('/logs/app.log');
    expect(generations.turnsOver('mkdir', ['/logs'])).toBe(true);
    expect(generations.turnsOver('mkdir', ['/logs/app.log.1'])).toBe(false);
    for (const key of ['copyFile', 'rm', 'truncate', 'writeFile'])
      expect(generations.turnsOver(key, ['/logs/app.log.1'])).toBe(false);
    expect(generations.turnsOver('unlink', [])).toBe(false);
    expect(generations.turnsOver('unlink', [undefined])).toBe(false);
  });

  it('are packed by a file that is made anew, for which the log is read once', () => {
    const generations = generationsOf('/logs/app.log');
    expect(generations.packedBy('open', ['/logs/app.log.1.gz', 'wx'])).toBe('/logs/app.log.1.gz');
    expect(generations.packedBy('createWriteStream', ['/logs/app.log.gz'])).toBe('/logs/app.log.gz');
    for (const flags of ['r', 'a', 'r+', undefined])
      expect(generations.packedBy('open', ['/logs/app.log.gz', flags])).toBeUndefined();
    expect(generations.packedBy('open', ['/logs/app.log.1', 'w'])).toBeUndefined();
    expect(generations.packedBy('open', ['/logs/results.gz', 'w'])).toBeUndefined();
    expect(generations.isPacked('/logs/app.log')).toBe(false);
    generations.pack('/logs/app.log.1.gz');
    expect([generations.isPacked('/logs/app.log'), generations.isPacked('/logs/app.log')]).toEqual([true, false]);
  });
});

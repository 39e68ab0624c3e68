import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectAllRefused } from './expect-refused.ts';
import { folderPicture } from './folder-picture.ts';
import { GuardStage } from './guard-stage.ts';
import { Witness } from './witness.ts';

let stage: GuardStage;

beforeEach(() => {
  stage = new GuardStage();
  writeFileSync(join(stage.work, 'written.txt'), 'as it was');
});

afterEach(() => stage.strike());

describe('a replay that has its process to itself', () => {
  it('guards code that lost its context, and code that runs at exit', async () => {
    const before = folderPicture(stage.work);
    const replayed = await stage.replay({ attempts: 'lost-context' });
    expect(folderPicture(stage.work)).toEqual(before);
    expect([...replayed.attempted.keys()]).toContain('fs.writeFileSync at exit');
    expect(replayed.attempted.size).toBe(3);
    expectAllRefused(replayed);
  });

  it('guards what modules do while they load', async () => {
    const before = folderPicture(stage.work);
    const replayed = await stage.replay({ attemptsAtStart: 'lost-context' });
    expect(folderPicture(stage.work)).toEqual(before);
    expectAllRefused(replayed);
  });

  it.each([
    ['fail where nothing can answer them', false],
    ['end as if all was taken', true],
  ])('holds back what exporters send, who %s, and lets them do nothing else', async (_how, wholeHook) => {
    const witness = await Witness.listen(join(stage.temporary, 'witness.sock'));
    try {
      const environment = witness.environment();
      const { attempted, report } = await stage.replay({ attempts: 'exporters', environment, wholeHook });
      const exporter = attempted.get('an exporter');
      if (wholeHook) expect(exporter?.code).toBeUndefined();
      else expect(exporter?.message).toContain('was held back');
      expect(witness.seen).toBe(0);
      // Nothing of what the replay itself sends to its collector.
      const place = `127.0.0.1:${environment.HTTP_PORT}`;
      expect(report.notes.filter((note) => note.startsWith('Telemetry'))).toEqual([
        `Telemetry to ${place} was held back: 1 request. To let it out: --allow-host ${place}.`,
      ]);
      expect(attempted.get('fs.writeFileSync where tracing is suppressed')?.code).toBe('replay-refused');
      expect(existsSync(join(stage.work, 'exported.txt'))).toBe(false);
      expect(report.divergences.filter(({ kind }) => kind === 'forbidden')).toHaveLength(1);
    } finally {
      await witness.close();
    }
  });
});

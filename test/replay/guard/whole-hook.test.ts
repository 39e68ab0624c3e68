import { writeFileSync } from 'node:fs';
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

describe('the guard under the register hook and its instrumentations', () => {
  it.each(['files-imported', 'lost-context', 'programs'])('refuses %s', async (attempts) => {
    const before = folderPicture(stage.work);
    const replayed = await stage.replay({ attempts, wholeHook: true });
    expect(folderPicture(stage.work)).toEqual(before);
    expect(replayed.attempted.size).toBeGreaterThan(2);
    expectAllRefused(replayed);
  });

  it('refuses every client, be it that no boundary covers it or that nothing was recorded', async () => {
    const witness = await Witness.listen(join(stage.temporary, 'witness.sock'));
    try {
      const { attempted, report } = await stage.replay({
        attempts: 'network',
        environment: witness.environment(),
        wholeHook: true,
      });
      expect(witness.seen).toBe(0);
      const notRefused = [...attempted.values()].filter(({ code }) => code !== 'replay-refused');
      // A session of HTTP/2 connects to the recording and to nobody else: each request on it is looked up, and refused there.
      expect(notRefused.map(({ name }) => name)).toEqual(['http2.connect', 'http2.connect securely']);
      expect(attempted.size).toBe(30);
      expect(report.exitCode).toBe(3);
    } finally {
      await witness.close();
    }
  });
});

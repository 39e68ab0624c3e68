import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectAllRefused } from './expect-refused.ts';
import { GuardStage } from './guard-stage.ts';
import { Witness } from './witness.ts';

let stage: GuardStage;
let witness: Witness;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  stage = new GuardStage();
  witness = await Witness.listen(join(stage.temporary, 'witness.sock'));
  environment = witness.environment();
});

afterEach(async () => {
  await witness.close();
  stage.strike();
});

describe('a tool that is asked to run live', () => {
  it('does what it does to the world, and so do the programs it starts, which stay in the replay', async () => {
    const { attempted, report } = await stage.replay({ attemptsInTool: 'live-tool', live: ['tool:look'], environment });
    const values = Object.fromEntries(
      [...attempted.values()].map(({ name, value, message }) => [name, value ?? message]),
    );
    expect(values).toMatchObject({
      'a file kept open': 7,
      'a request': 'answered',
      'a fetch': 'answered',
      'an HTTP/2 session': 'answered',
      'a connection': 'hello',
      'a program with an environment of its own': 'inside',
      'a program that inherits': 'inside',
    });
    expect(readFileSync(join(stage.work, 'live.txt'), 'utf8')).toBe('by the tool, twice');
    expect(report.divergences).toEqual([]);
    expect(report.exitCode).toBe(0);
  });

  it('does not run at all where it is stubbed', async () => {
    const { attempted, report } = await stage.replay({ attemptsInTool: 'live-tool', environment });
    expect(attempted.size).toBe(0);
    expect(witness.seen).toBe(0);
    expect(report.exitCode).toBe(0);
  });

  it('leaves nothing open that other code could use', async () => {
    const replayed = await stage.replay({
      attemptsInTool: 'live-tool',
      attempts: 'after-live-tool',
      live: ['tool:look'],
      environment,
    });
    const later = {
      ...replayed,
      attempted: new Map([...replayed.attempted].filter(([name]) => / a kept /.test(name))),
    };
    expect(later.attempted.size, replayed.output).toBe(5);
    expectAllRefused(later);
    expect(witness.requests).toBe(2);
    expect(witness.bytes).toBe('from the tool;');
    expect(readFileSync(join(stage.work, 'live.txt'), 'utf8')).toBe('by the tool, twice');
  });
});

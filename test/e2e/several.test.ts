import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayReport } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { recordRun, setSmallStage } from './small-stage.ts';

// Each replay is two processes more.
const caseMs = 120_000;
const entry = ['--entry', './answerer.ts#answer'];

let stage: Stage;
let files: string[];

beforeAll(async () => {
  stage = await setSmallStage();
  files = [];
  for (const message of ['about quantum', 'about cats']) {
    const { run } = await recordRun(stage, 'conversation.ts', { SESSION: 'chat-1', MESSAGE: message });
    const file = join(stage.folder, `${files.length}.otlp.jsonl`);
    await stage.reenact(['export', run.rootSpanId, '--out', file]);
    files.push(file);
  }
});

afterAll(() => stage.stop());

const environment = { TOOL_MUST_NOT_RUN: '1' };

describe('several recordings on one command line', () => {
  it(
    'are replayed in order, by one command or one function, with one summary',
    async () => {
      for (const enter of [entry, ['--', 'node', 'conversation.ts']]) {
        const { exitCode, stdout } = await stage.reenact(['replay', ...files, ...enter], environment);
        expect(exitCode).toBe(0);
        expect(stdout).toContain('Recordings: 2 of 2 runs reproduced.');
        expect(stdout.indexOf(`run 1 of 2: ${files[0]}`)).toBeLessThan(stdout.indexOf(`run 2 of 2: ${files[1]}`));
      }
    },
    caseMs,
  );

  it(
    'give an array of reports that say what they are of, and the worst exit code; one that is damaged keeps none from it',
    async () => {
      const damaged = join(stage.folder, 'damaged.otlp.jsonl');
      writeFileSync(damaged, readFileSync(files[0] ?? '', 'utf8').replace('quantum', 'quantun'));
      const named = [files[0] ?? '', damaged, files[1] ?? ''];
      const changed = { ...environment, FIX: 'on' };
      const { exitCode, stdout, stderr } = await stage.reenact(['replay', ...named, '--json', ...entry], changed);
      expect(exitCode).toBe(2);
      const results = JSON.parse(stdout) as (ReplayReport & { source: string; error?: { code: string } })[];
      expect(results.map(({ source, verdict, error }) => [source, verdict, error?.code])).toEqual([
        [named[0], 'diverged', undefined],
        [damaged, 'unusable', 'fixture-damaged'],
        [named[2], 'reproduced', undefined],
      ]);
      expect(stderr).not.toContain('replaying:');
      expect(stderr).not.toContain('the tool ran');
    },
    caseMs,
  );

  it(
    'are refused together where a fork is asked for, or nothing enters them',
    async () => {
      const forked = await stage.reenact(['replay', ...files, '--fork', 'tool:look_up', ...entry]);
      expect(forked).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/bad-argument.*fork/i) });
      const without = await stage.reenact(['replay', ...files]);
      expect(without).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/-- node app\.mjs/) });
      const useless = await stage.reenact(['replay', ...files, '--live', 'tool:look_down', ...entry]);
      expect(useless).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(/bad-plan.*look_down/) });
    },
    caseMs,
  );
});

describe('a conversation', () => {
  it(
    'is replayed through a function without its program',
    async () => {
      const { exitCode, stdout } = await stage.reenact(['replay', '--session', 'chat-1', ...entry], environment);
      expect(exitCode).toBe(0);
      expect(stdout).toContain('Session chat-1: 2 of 2 runs reproduced.');
    },
    caseMs,
  );
});

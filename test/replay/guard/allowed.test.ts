import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuardStage } from './guard-stage.ts';

let stage: GuardStage;

beforeEach(() => {
  stage = new GuardStage();
  stage.keepDatabase();
});

afterEach(() => stage.strike());

describe('the guard lets through', () => {
  it('what a program needs, and the run is reproduced', async () => {
    const { attempted, report, output } = await stage.replay({ attempts: 'allowed' });
    expect([...attempted.values()].filter(({ code }) => code !== undefined)).toEqual([]);
    expect(attempted.size).toBe(14);
    expect(report.divergences).toEqual([]);
    expect(report.exitCode).toBe(0);
    for (const line of ['to standard output', 'to standard error', 'written', 'written by descriptor']) {
      expect(output).toContain(`${line}\n`);
    }
    expect(output).not.toContain('ExperimentalWarning');
  });

  it('native add-ons that are required, and names them', async () => {
    const { attempted, report } = await stage.replay({ attempts: 'native-add-on' });
    expect([...attempted.values()]).toEqual([{ name: 'a native add-on', value: 'Program' }]);
    expect(report.exitCode).toBe(0);
    expect(report.notes.join('\n')).toMatch(/native add-on parser\..*\.node was loaded/);
  });
});

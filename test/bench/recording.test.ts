import { describe, expect, it } from 'vitest';
import { runCommand } from '../scenarios/run-command.ts';

const folder = new URL('.', import.meta.url).pathname;
const environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };

describe('the benchmark of recording', () => {
  it('still runs, and gives each arm as a ratio of the first', { timeout: 120_000 }, async () => {
    const command = [process.execPath, '--conditions=@reenact/source', 'recording-crossing.ts', '--smoke'];
    const { stdout, stderr, exitCode } = await runCommand(command, { cwd: folder, environment });
    expect(`${exitCode} ${exitCode === 0 ? '' : stderr}`).toBe('0 ');
    const arms = stdout.trim().split('\n');
    expect(arms.map((arm) => arm.slice(0, arm.indexOf(':')))).toEqual([
      'OpenTelemetry span',
      'crossing',
      'crossing with spool',
    ]);
    for (const arm of arms) expect(arm).toMatch(/ · \d+\.\d\d× \/ \d+\.\d\d×$/);
  });
});

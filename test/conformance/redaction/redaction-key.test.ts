import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnvironment } from '../../scenarios/bare-environment.ts';
import { runCommand } from '../../scenarios/run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'reenact-keyed-'));
const file = join(folder, 'recording.json');
const keyFile = join(folder, 'made', 'redaction.key');

/** What the child printed, and how it ended. */
function child(act: 'record' | 'replay', keys: Record<string, string>): ReturnType<typeof runCommand> {
  const program = new URL('./keyed-agent.ts', import.meta.url).pathname;
  return runCommand([process.execPath, program, act, file], {
    cwd: folder,
    environment: { ...bareEnvironment(), HOME: folder, ...keys },
  });
}

beforeAll(async () => {
  const { stderr, exitCode } = await child('record', { REENACT_REDACTION_KEY: 'the key of the team' });
  if (exitCode !== 0) throw new TypeError(stderr);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a replay of what was redacted', () => {
  it('is exact with the key', async () => {
    const recording = readFileSync(file, 'utf8');
    expect(recording).not.toContain('hunter2');
    expect(recording).toContain('/messages/0');
    const { stdout, exitCode } = await child('replay', { REENACT_REDACTION_KEY: 'the key of the team' });
    expect([exitCode, stdout.includes('unverified'), stdout.includes('"orders":3')]).toEqual([0, false, true]);
  });

  it.each([
    ['another key', { REENACT_REDACTION_KEY: 'the key of somebody else' }],
    ['a key of its own, made just now', { REENACT_REDACTION_KEY_FILE: keyFile }],
  ])('with %s says which places could not be compared, and cannot pass', async (_, keys) => {
    const { stdout, exitCode } = await child('replay', keys);
    const keyId = /"reenact\.redaction\.key","value":\{"stringValue":"([0-9a-f]{16})"/.exec(
      readFileSync(file, 'utf8'),
    )?.[1];
    expect(exitCode).toBe(2);
    expect(stdout).toContain('/0/password');
    // Of a gRPC message the token has the length of the secret, and may be none that can be recognised.
    expect(stdout).toContain('/messages/0');
    expect(stdout).toContain(keyId ?? 'a key id');
    expect(stdout).toContain('REENACT_REDACTION_KEY');
    expect(stdout).toContain('"divergences":[]');
    expect(existsSync(keyFile)).toBe('REENACT_REDACTION_KEY_FILE' in keys);
  });
});

import fs, { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PatchSet } from '../../patching/patch-set.ts';
import { loadRedactionKey, redactionKeyFile } from './redaction-key.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'reenact-key-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('the redaction key', () => {
  it('is made on first use, readable by its owner alone, and is the same from then on', () => {
    const environment = { XDG_CONFIG_HOME: home };
    const made = loadRedactionKey(environment);
    const file = redactionKeyFile(environment);
    expect(file).toBe(join(home, 'reenact', 'redaction.key'));
    expect([statSync(file).mode & 0o777, statSync(join(home, 'reenact')).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(loadRedactionKey(environment)).toEqual(made);
    expect(made.source).toBe('file');
  });

  it('is what the variable says before what a file says, whatever text that is', () => {
    const file = join(home, 'team.key');
    writeFileSync(file, 'a passphrase of the team\n');
    const named = { REENACT_REDACTION_KEY_FILE: file };
    const fromFile = loadRedactionKey(named);
    const given = loadRedactionKey({ ...named, REENACT_REDACTION_KEY: 'another' });
    expect([fromFile.source, given.source]).toEqual(['file', 'environment']);
    expect(given.id).not.toBe(fromFile.id);
    // Where it comes from makes no other key of it.
    expect(loadRedactionKey({ REENACT_REDACTION_KEY: 'a passphrase of the team' }).id).toBe(fromFile.id);
    expect(`${given.id}${given.bytes.toString('hex')}`).not.toContain(Buffer.from('another').toString('hex'));
  });

  it('is made although what the platform offers for files is replaced meanwhile', () => {
    const patches = new PatchSet();
    for (const name of ['mkdirSync', 'readFileSync', 'writeFileSync', 'openSync', 'writeSync', 'closeSync'] as const) {
      patches.wrap(fs, name, () => {
        throw new TypeError('refused by a guard');
      });
    }
    patches.publish();
    try {
      expect(() => readFileSync(home)).toThrow('refused by a guard');
      expect(loadRedactionKey({ XDG_CONFIG_HOME: home }).source).toBe('file');
    } finally {
      patches.restore();
    }
    expect(readFileSync(redactionKeyFile({ XDG_CONFIG_HOME: home }), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });

  it('lasts as long as the process where there can be no file', () => {
    writeFileSync(join(home, 'taken'), '');
    const environment = { REENACT_REDACTION_KEY_FILE: join(home, 'taken', 'redaction.key') };
    const [one, other] = [loadRedactionKey(environment), loadRedactionKey(environment)];
    expect([one.source, other.source]).toEqual(['process', 'process']);
    expect(one.id).not.toBe(other.id);
  });
});

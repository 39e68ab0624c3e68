import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDirectories } from './make-directories.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-make-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What a host prints that asks for our folders below a working directory that is gone; a host that hangs is ended. */
async function printedWithout(directory: string, module: string, call: string): Promise<string> {
  const script = `
    const ours = await import(${JSON.stringify(new URL(module, import.meta.url).href)});
    process.chdir(${JSON.stringify(directory)});
    (await import('node:fs')).rmdirSync(${JSON.stringify(directory)});
    console.log(${call});`;
  const words = ['--conditions=@reenact/source', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: 60_000, killSignal: 'SIGKILL' });
  return stdout.trim();
}

describe('the folders of the recorder', () => {
  it('are made with those above them, for their owner alone, and stay where they are there', () => {
    const wanted = join(folder, 'a', 'b');
    makeDirectories(wanted);
    makeDirectories(wanted);
    expect([statSync(wanted).mode & 0o777, statSync(join(folder, 'a')).mode & 0o777]).toEqual([0o700, 0o700]);
  });

  it('are given up where they cannot be made, in a working directory that was removed: the host never waits', async () => {
    const place = await printedWithout(folder, '../spool/spool-place.ts', "ours.preparePlace(['state/spool'])");
    expect(place).toBe('undefined');
  });

  it('are given up for the redaction key, too, which then lasts as long as the process', async () => {
    const key = "ours.loadRedactionKey({ XDG_CONFIG_HOME: 'configuration' }).source";
    expect(await printedWithout(folder, '../redaction/redactor/redaction-key.ts', key)).toBe('process');
  });
});

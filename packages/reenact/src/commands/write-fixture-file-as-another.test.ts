import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** The user and the group of nobody on most systems; of others they have no name, and no more rights. */
const NOBODY = 65_534;
const STICKY = 0o1777;

function runAsNobody(code: string): { readonly status: number | null; readonly out: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@reenact/source', '--input-type=module', '--eval', code],
    { uid: NOBODY, gid: NOBODY, cwd: '/', encoding: 'utf8' },
  );
  return { status, out: stdout + stderr };
}

const module = new URL('write-fixture-file.ts', import.meta.url).href;
const write = (path: string, text: string): string =>
  `const { writeFixtureFile } = await import(${JSON.stringify(module)});
  process.stdout.write(String(writeFixtureFile(${JSON.stringify(path)}, [${JSON.stringify(text)}])));`;

/** Whether this user may become another, who can read what is tested. */
function canBeAnother(): boolean {
  return process.getuid?.() === 0 && runAsNobody(`await import(${JSON.stringify(module)})`).status === 0;
}

describe.skipIf(!canBeAnother())('a fixture in a folder that this user cannot write to', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'reenact-another-'));
    path = join(folder, 'ticket.otlp.jsonl');
    chmodSync(folder, 0o755);
    writeFileSync(path, 'what was there, which is longer\n');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const give = (mode: number, user: number, group: number): void => {
    chownSync(path, user, group);
    chmodSync(path, mode);
  };

  it('keeps its permissions', () => {
    give(0o600, NOBODY, NOBODY);
    expect(runAsNobody(write(path, 'new\n'))).toEqual({ status: 0, out: '4' });
    expect(readFileSync(path, 'utf8')).toBe('new\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each(['664', '060'])('is written where it is of another owner, and its group may: %s', (permissions) => {
    const mode = Number.parseInt(permissions, 8);
    give(mode, 0, NOBODY);
    expect(runAsNobody(write(path, 'new\n'))).toEqual({ status: 0, out: '4' });
    expect(readFileSync(path, 'utf8')).toBe('new\n');
    expect(statSync(path)).toMatchObject({ uid: 0, gid: NOBODY });
    expect(statSync(path).mode & 0o777).toBe(mode);
  });

  it('is written where everybody can make files, and only its owner can replace it', () => {
    chmodSync(folder, STICKY);
    give(0o666, 0, 0);
    expect(runAsNobody(write(path, 'new\n'))).toEqual({ status: 0, out: '4' });
    expect(readFileSync(path, 'utf8')).toBe('new\n');
    expect(readdirSync(folder)).toEqual(['ticket.otlp.jsonl']);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recording, ReplayReport } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeFacts } from '../recording/code-facts.ts';
import { withChangesSince } from './changed-since.ts';

let folder: string;

const git = (...parameters: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...parameters], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

function commit(code: string): string {
  writeFileSync(join(folder, 'app.mjs'), code);
  git('add', '.');
  git('commit', '-q', '-m', code);
  return git('rev-parse', 'HEAD').slice(0, 10);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reenact-changed-'));
  git('init', '-q', '-b', 'main');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** A recording made in the folder as it is now. */
const recordedHere = (): Pick<Recording, 'resource'> => ({
  resource: new Map(
    Object.entries(codeFacts(folder)).filter(([, fact]) => fact !== undefined),
  ) as Recording['resource'],
});

const notesOf = (recorded: Pick<Recording, 'resource'>, verdict: ReplayReport['verdict'] = 'diverged') =>
  withChangesSince({ verdict, notes: [] as readonly string[] } as ReplayReport, recorded as Recording, folder).notes;

describe('what changed since a run was recorded', () => {
  it('is the commit, and what is not committed', () => {
    const before = commit('1');
    const recorded = recordedHere();
    const after = commit('2');
    expect(notesOf(recorded)).toEqual([
      `Recorded at commit ${before}; the code here is at ${after}. \`git diff ${before}\` shows what lies between, where that commit is in this repository (a shallow clone may have to fetch it).`,
    ]);
    writeFileSync(join(folder, 'app.mjs'), 'third');
    expect(notesOf(recorded)).toEqual([expect.stringContaining(`at ${after}, with changes that are not committed.`)]);
    git('checkout', '-q', '--force', before);
    expect(notesOf(recorded)).toEqual([]);
    writeFileSync(join(folder, 'app.mjs'), 'third');
    expect(notesOf(recorded)).toEqual([
      `Recorded at commit ${before}, unchanged; the code here has changes that are not committed: \`git diff\` shows them.`,
    ]);
    expect(notesOf(recordedHere())).toEqual([]);
  });

  it('is the lock file', () => {
    writeFileSync(join(folder, 'package-lock.json'), '{}');
    commit('1');
    const recorded = recordedHere();
    writeFileSync(join(folder, 'package-lock.json'), '{"lockfileVersion":3}');
    expect(notesOf(recorded)).toHaveLength(2);
    expect(notesOf(recorded)[1]).toMatch(/^The lock file is another one/);
  });

  it('is nobody’s business where the run came out as recorded', () => {
    commit('1');
    const recorded = recordedHere();
    commit('2');
    expect(notesOf(recorded, 'reproduced')).toEqual([]);
  });

  it('holds nothing of a recording that somebody might type', () => {
    commit('1');
    const resource: Recording['resource'] = new Map([['vcs.ref.head.revision', '$(touch /tmp/owned)']]);
    expect(notesOf({ resource })).toEqual([]);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ancestorNames, processName } from '../host/process-names.ts';
import { deliverSpoolFolder, gate, thisOwner, tool } from '../index.ts';
import { FlakyExporter, SpooledHost } from '../testdata/spooled-host.ts';
import { folderName, lifeOf, ownerOf, type SpoolOwner } from './spool-owner.ts';
import { ABOUT_FILE } from './spool-segments.ts';

let host: SpooledHost;
const children: ChildProcess[] = [];
const noProcess = { processId: 2 ** 30, start: String(2 ** 50) };

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await host?.stop();
});

/** A host with the spool of another process beside its own, which has said who started it. Gives its name. */
async function hostBeside(other: Partial<SpoolOwner>, about: object): Promise<string> {
  host = new SpooledHost();
  host.exporter.isAway = true;
  await tool('left', async () => 1)();
  const folder = host.processor.spoolState()?.directory ?? '';
  const owner = ownerOf(basename(folder));
  if (owner === undefined) throw new Error('The host has no spool.');
  const name = folderName({ ...owner, ...other });
  cpSync(folder, join(host.directory, name), { recursive: true });
  writeFileSync(join(host.directory, name, ABOUT_FILE), JSON.stringify(about));
  host.exporter.isAway = false;
  return name;
}

const startedHere = { startedBy: ['7.7', processName(thisOwner(''))] };

async function running(program: string, words: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child, 'spawn');
  return child;
}

describe('a flush', () => {
  it('delivers what a process left that this one or one of its own had started, once', async () => {
    const name = await hostBeside(noProcess, startedHere);
    await Promise.all([host.processor.forceFlush(), host.processor.forceFlush()]);
    expect(host.exporter.names).toEqual(['left', 'left']);
    expect(readdirSync(host.directory)).not.toContain(name);
  });

  it.each([
    ['somebody else had started', noProcess, { startedBy: ['7.7'] }],
    ['was there before this process, which is not read', { ...noProcess, start: '1' }, startedHere],
    ['nobody knows who had started, as of a version before', noProcess, {}],
    ['was to go elsewhere', { ...noProcess, destination: '0'.repeat(12) }, startedHere],
    ['was sent with a token', noProcess, { ...startedHere, sender: 'another' }],
    ['lives in another container, if at all', { ...noProcess, scope: '0'.repeat(12) }, startedHere],
  ])('leaves alone what %s', async (_, owner, about) => {
    const name = await hostBeside(owner, about);
    await host.processor.forceFlush();
    expect(host.exporter.names).toEqual(['left']);
    expect(readdirSync(host.directory)).toContain(name);
    expect(host.processor.wantsFlush()).toBe(false);
  });

  it('leaves alone what a process has that lives', async () => {
    const { pid: processId = 0 } = await running('sleep', ['600']);
    const name = await hostBeside({ processId, start: '0' }, startedHere);
    await host.processor.forceFlush();
    expect([host.exporter.names, readdirSync(host.directory)]).toEqual([['left'], expect.arrayContaining([name])]);
  });

  it('leaves it to whoever comes next where nobody takes it, as to the one that delivers it as this process ends', async () => {
    const name = await hostBeside(noProcess, startedHere);
    const deliver = host.exporter.export.bind(host.exporter);
    vi.spyOn(host.exporter, 'export').mockImplementation((spans, done) => {
      deliver(spans, done);
      host.exporter.isAway = true;
    });
    await host.processor.forceFlush();
    expect([host.exporter.names, readdirSync(host.directory)]).toEqual([['left'], expect.arrayContaining([name])]);
    // Its flush has just failed: nobody who ends waits for a second one.
    expect(host.processor.wantsFlush()).toBe(false);
    const [path = '', ...others] = host.processor.adoptDescendants();
    const last = new FlakyExporter();
    await deliverSpoolFolder(path, last);
    expect([others, last.names, host.processor.adoptDescendants()]).toEqual([[], ['left'], []]);
  });
});

describe('an export', () => {
  it('delivers the same, once code of a run has started a program', async () => {
    const name = await hostBeside(noProcess, startedHere);
    const kept = join(host.directory, 'kept');
    cpSync(join(host.directory, name), kept, { recursive: true });
    // What is there as a process begins is looked for, and then not for a minute.
    await expect.poll(() => host.exporter.names, { timeout: 30_000 }).toEqual(['left', 'left']);
    gate.startsCode();
    renameSync(kept, join(host.directory, name));
    await tool('later', async () => 1)();
    await expect.poll(() => host.exporter.names, { timeout: 30_000 }).toEqual(['left', 'left', 'later', 'left']);
  });
});

describe('a process', () => {
  it('says from which it descends', async () => {
    host = new SpooledHost();
    await tool('left', async () => 1)();
    const about = readFileSync(join(host.processor.spoolState()?.directory ?? '', ABOUT_FILE), 'utf8');
    expect(JSON.parse(about)).toMatchObject({ startedBy: ancestorNames() });
    expect(ancestorNames()[0]).toMatch(new RegExp(`^${process.ppid}\\.\\d+$`));
  });

  it.runIf(process.platform === 'linux')('is gone that has ended, and whose end nobody has asked for', async () => {
    // What replaces the shell does not know that it has a process to ask for.
    const forgetful = await running('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 600']);
    const [told] = await once(forgetful.stdout as NodeJS.ReadableStream, 'data');
    const processId = Number(String(told));
    const stat = (): string => readFileSync(`/proc/${processId}/stat`, 'utf8');
    while (!stat().includes(') Z ')) await new Promise((resolve) => setTimeout(resolve, 5));
    const start = stat().split(') ')[1]?.split(' ')[19] ?? '';
    const owner = { ...thisOwner(''), processId, start };
    expect(lifeOf(owner, owner.scope)).toBe('gone');
  });
});

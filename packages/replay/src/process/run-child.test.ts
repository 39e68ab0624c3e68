import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';

const source = new URL('./run-child.ts', import.meta.url).href;

/** A process that runs a program as its child, with what it prints, and then prints how that ended. */
function runIn(program: string, stopMsMax: number, stdio = 'pipe'): string {
  return `
    import { runChild } from '${source}';
    const command = [process.execPath, '--eval', ${JSON.stringify(program)}];
    const onOutput = (text) => process.stdout.write(text);
    console.log(await runChild({ command, stdio: '${stdio}', onOutput, stopMsMax: ${stopMsMax} }, process.env));
  `;
}

/** What is printed after the program is ready and its parent was sent a signal. */
async function afterSignal(program: string, signal: NodeJS.Signals, stopMsMax: number): Promise<string[]> {
  const code = runIn(`${program}; console.log('ready'); setInterval(() => {}, 1_000);`, stopMsMax);
  const parent = spawn(process.execPath, ['--conditions=@reenact/source', '--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface(parent.stdout).on('line', (line) => {
    if (line === 'ready') parent.kill(signal);
    else lines.push(line);
  });
  await once(parent, 'close');
  return lines;
}

describe('a command that is told to end', () => {
  it('ends as it does by itself', async () => {
    const tidy = `process.on('SIGTERM', () => { console.log('tidied'); process.exit(7); })`;
    expect(await afterSignal(tidy, 'SIGTERM', 60_000)).toEqual(['tidied', 'exit code 7']);
  });

  it.each<NodeJS.Signals>(['SIGTERM', 'SIGHUP'])('is killed where it takes no notice of %s', async (signal) => {
    const deaf = `process.on('${signal}', () => undefined)`;
    expect(await afterSignal(deaf, signal, 200)).toEqual(['signal SIGKILL']);
  });

  it('goes on after Ctrl-C, which people type again', async () => {
    const slow = `process.on('SIGINT', () => { setTimeout(() => process.exit(3), 300); })`;
    expect(await afterSignal(slow, 'SIGINT', 10)).toEqual(['exit code 3']);
  });
});

describe.runIf(process.platform === 'linux')('a command whose output goes to standard error', () => {
  it('can open where it prints, as loggers do, and prints nothing elsewhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reenact-child-'));
    const path = join(folder, 'stderr.txt');
    const stderr = openSync(path, 'a');
    const print = `console.log('one'); require('node:fs').appendFileSync('/dev/stdout', 'two\\n'); console.error('three')`;
    const flags = ['--conditions=@reenact/source', '--input-type=module', '--eval', runIn(print, 60_000, 'stderr')];
    const parent = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', stderr] });
    const lines: string[] = [];
    createInterface(parent.stdout as Readable).on('line', (line) => lines.push(line));
    await once(parent, 'close');
    closeSync(stderr);
    expect([lines, readFileSync(path, 'utf8')]).toEqual([['exit code 0'], 'one\ntwo\nthree\n']);
    rmSync(folder, { recursive: true });
  });
});

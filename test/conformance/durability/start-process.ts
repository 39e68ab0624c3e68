import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { printedBy } from '@reenact/instrumentation/testing';

const PROGRAM = fileURLToPath(new URL('collector-process.ts', import.meta.url));

/** Starts a collector process and resolves with its address; rejects with what it said where it ends before. */
export async function startProcess(directory: string): Promise<{ child: ChildProcess; httpUrl: string }> {
  const child = spawn(process.execPath, ['--conditions=@reenact/source', PROGRAM, directory], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [httpUrl] = await printedBy(child, /http:.+(?=\n)/);
  return { child, httpUrl };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CollectorConfigInput } from '@reenact/collector';
import { printedBy } from '@reenact/instrumentation/testing';

const PROGRAM = fileURLToPath(new URL('collector-process.ts', import.meta.url));

/**
 * Starts a collector process and resolves with its addresses; rejects with what it said where it ends before. `flags`: more of Node.js's;
 * `config`: more of the collector's.
 */
export async function startProcess(
  directory: string,
  flags: readonly string[] = [],
  config: CollectorConfigInput = {},
): Promise<{ child: ChildProcess; httpUrl: string; grpcUrl: string }> {
  const program = [PROGRAM, directory, JSON.stringify(config)];
  const child = spawn(process.execPath, [...flags, ...program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [, httpUrl = '', grpcUrl = ''] = await printedBy(child, /(http:.+)\n(http:.+)(?=\n)/);
  return { child, httpUrl, grpcUrl };
}

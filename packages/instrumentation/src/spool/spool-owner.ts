import { createHash } from 'node:crypto';
import * as files from 'node:fs';
import { hostname } from 'node:os';
import { pristine } from '../host/pristine.ts';
import { processState } from '../host/process-state.ts';

// Taken out of the module record, which the guard of a replay rewrites.
const { readFileSync, readlinkSync } = { ...files };
const killNow = process.kill.bind(process);

/**
 * Who writes a spool, as its folder's name tells: `<destination>.<scope>.<process id>.<start>.<random>`. Process ids mean
 * something within a scope only: one boot of one host, one container.
 */
export interface SpoolOwner {
  readonly destination: string;
  readonly scope: string;
  readonly processId: number;
  /** When the process started, in a unit of the system's own; `0` where the system does not tell. */
  readonly start: string;
}

function textOf(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return '';
  }
}

function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** The folder-safe name of where spans go: a spool is never delivered to another place than it was meant for. */
export function destinationKey(url: string): string {
  const loopback = url.replace(/^(https?:\/\/)(localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/i, '$1loopback');
  return shortDigest(loopback.replace(/\/+$/, ''));
}

/** This process as the owner of a spool. */
export function thisOwner(destination: string): SpoolOwner {
  const boot = textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const container = textOf(() => readlinkSync('/proc/self/ns/pid'));
  const scope = shortDigest(`${hostname()} ${boot} ${container}`);
  return { destination, scope, processId: pristine.processId, start: processState('self')?.start || '0' };
}

/** A name for a new folder of this owner. */
export function folderName({ destination, scope, processId, start }: SpoolOwner): string {
  return [destination, scope, processId, start, pristine.randomBytes(6).toString('hex')].join('.');
}

/** The owner that a folder's name tells; undefined for any other name. */
export function ownerOf(name: string): SpoolOwner | undefined {
  const match = /^([0-9a-f]{12})\.([0-9a-f]{12})\.(\d+)\.(\d+)\.[0-9a-f]{12}$/.exec(name);
  const [, destination = '', scope = '', processId = '', start = ''] = match ?? [];
  return match === null ? undefined : { destination, scope, processId: Number(processId), start };
}

function exists(processId: number): boolean {
  try {
    killNow(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Whether the owner may still be writing. `unknown`: it lives in another scope, if at all. */
export function lifeOf(owner: SpoolOwner, scope: string): 'alive' | 'gone' | 'unknown' {
  if (owner.scope !== scope) return 'unknown';
  if (!exists(owner.processId)) return 'gone';
  const state = processState(owner.processId);
  if (state === undefined) return 'alive';
  return !state.hasEnded && (owner.start === '0' || state.start === owner.start) ? 'alive' : 'gone';
}

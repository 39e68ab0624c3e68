import { createHash } from 'node:crypto';
import * as files from 'node:fs';
import { hostname } from 'node:os';
import { pristine } from '../host/pristine.ts';

// Taken out of the module record, which the guard of a replay rewrites.
const { readFileSync, readlinkSync } = { ...files };

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

/** Told apart from a later process that was given the same id. Empty where there is no such process, or no such system. */
function startOf(processId: number | 'self'): string {
  const text = textOf(() => readFileSync(`/proc/${processId}/stat`, 'utf8'));
  // The second field is a name in brackets that may hold anything; the start time is the 22nd.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
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
  return { destination, scope, processId: pristine.processId, start: startOf('self') || '0' };
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
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Whether the owner may still be writing. `unknown`: it lives in another scope, if at all. */
export function lifeOf(owner: SpoolOwner, scope: string): 'alive' | 'gone' | 'unknown' {
  if (owner.scope !== scope) return 'unknown';
  if (!exists(owner.processId)) return 'gone';
  const start = startOf(owner.processId);
  return start === '' || owner.start === '0' || start === owner.start ? 'alive' : 'gone';
}

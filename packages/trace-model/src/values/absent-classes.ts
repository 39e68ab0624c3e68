import type { Payload } from '../payloads/payload.ts';
import { classFinder } from './class-finder.ts';
import { type ErrorRecord, lacksErrorClass } from './error-record.ts';
import { valueClassNamed } from './value-classes.ts';

function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isErrorRecord(value: unknown): value is ErrorRecord {
  return isNode(value) && typeof value.class === 'string' && typeof value.message === 'string';
}

function isAbsent(name: string): boolean {
  return valueClassNamed(name) === undefined && classFinder()?.makerOf(name) === undefined;
}

function addAbsent(node: unknown, absent: Set<string>): void {
  if (!isNode(node)) return;
  if (node.$ === 'object' && typeof node.class === 'string' && isAbsent(node.class)) absent.add(node.class);
  if (isErrorRecord(node) && lacksErrorClass(node)) absent.add(node.class);
  for (const item of Object.values(node)) addAbsent(item, absent);
}

/**
 * Names of the classes of which a recorded value has instances and that this process does not have: it is made again with plain objects in
 * their place. Never throws.
 */
export function absentClasses({ format, data }: Payload): readonly string[] {
  if (format !== 'js' || data === undefined || !data.includes('"class":"')) return [];
  const absent = new Set<string>();
  try {
    addAbsent(JSON.parse(data), absent);
  } catch {
    // What is no text of the codec is refused where it is served.
  }
  return Array.from(absent);
}

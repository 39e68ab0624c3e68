import type { Payload } from '../payloads/payload.ts';
import { classFinder } from './class-finder.ts';
import { type ErrorRecord, errorClassOf, lacksErrorClass } from './error-record.ts';
import { isNamedByMinifier } from './is-named-by-minifier.ts';
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

/** Names of classes of which a recorded value has instances. */
export interface ServedClasses {
  /** This process does not have them: the value is made again with plain objects in their place. */
  readonly absent: Set<string>;
  /** A minifier named them: in a program that was built anew another class may have that name, and no look at the value tells. */
  readonly minified: Set<string>;
}

function addClasses(node: unknown, { absent, minified }: ServedClasses): void {
  if (!isNode(node)) return;
  if (node.$ === 'object' && typeof node.class === 'string') {
    if (isAbsent(node.class)) absent.add(node.class);
    else if (isNamedByMinifier(node.class, valueClassNamed(node.class))) minified.add(node.class);
  }
  if (isErrorRecord(node)) {
    const errorClass = errorClassOf(node);
    if (lacksErrorClass(node)) absent.add(node.class);
    else if (errorClass !== undefined && isNamedByMinifier(node.class, errorClass)) minified.add(node.class);
  }
  for (const item of Object.values(node)) addClasses(item, { absent, minified });
}

/** What of the classes of a recorded value is to be said where it is served. Never throws. */
export function servedClasses({ format, data }: Payload): ServedClasses {
  const classes: ServedClasses = { absent: new Set(), minified: new Set() };
  if (format !== 'js' || data === undefined || !data.includes('"class":"')) return classes;
  try {
    addClasses(JSON.parse(data), classes);
  } catch {
    // What is no text of the codec is refused where it is served.
  }
  return classes;
}

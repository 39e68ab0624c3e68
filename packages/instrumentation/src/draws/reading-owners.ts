import os from 'node:os';
import v8 from 'node:v8';
import { READING_FUNCTIONS, type ReadingFunction } from '@reenact/trace-model';
import { performanceOwner } from './performance-owner.ts';

/** Where a function stands that says how the machine or the process is. */
export interface ReadingOwner {
  readonly name: ReadingFunction;
  readonly owner: object;
  readonly key: string;
}

const modules: Readonly<Record<string, () => object>> = {
  os: () => os,
  performance: performanceOwner,
  process: () => process,
  'process.memoryUsage': () => process.memoryUsage,
  v8: () => v8,
};

/** All of them that are functions, those of a function before the function itself. Node.js may lack some. */
export function readingOwners(): ReadingOwner[] {
  return READING_FUNCTIONS.flatMap((name): ReadingOwner[] => {
    const end = name.lastIndexOf('.');
    const owner = modules[name.slice(0, end)]?.();
    return owner === undefined ? [] : [{ name, owner, key: name.slice(end + 1) }];
  }).reverse();
}

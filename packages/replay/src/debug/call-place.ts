import { pathToFileURL } from 'node:url';
import { getCallSites } from 'node:util';
import { userFrame } from '@reenact/instrumentation';
import { CALL_SITES_MAX } from '../limits.ts';
import type { CallPlace } from './debug-order.ts';

/** Where the user's code stands that makes the current call, in the code that runs: a debugger stops there. */
export function callPlace(): Pick<CallPlace, 'url' | 'line' | 'column'> | undefined {
  const sites = getCallSites(CALL_SITES_MAX, { sourceMap: false });
  for (const { scriptName, lineNumber, columnNumber } of sites) {
    if (userFrame(`    at ${scriptName}:${lineNumber}:${columnNumber}`) === undefined) continue;
    const url = scriptName.startsWith('file:') ? scriptName : pathToFileURL(scriptName).href;
    return { url, line: lineNumber - 1, column: columnNumber - 1 };
  }
  return undefined;
}

/** One text per place, to count the calls from it. */
export function placeKey({ url, line, column }: Pick<CallPlace, 'url' | 'line' | 'column'>): string {
  return `${url}:${line}:${column}`;
}

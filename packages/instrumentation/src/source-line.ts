import { fileURLToPath } from 'node:url';
import type { SourceLine } from '@reenact/trace-model';
import { STACK_FRAMES_MAX } from './limits.ts';

const ownFolder = fileURLToPath(new URL('.', import.meta.url));
// `<packages>/instrumentation/src/` and its siblings, or `node_modules/@reenact/instrumentation/dist/`.
const siblingFolder = fileURLToPath(new URL('../../', import.meta.url));

function filePath(place: string): string {
  if (!place.startsWith('file:')) return place;
  try {
    return fileURLToPath(place);
  } catch {
    return place;
  }
}

function isUserFile(file: string): boolean {
  if (file.startsWith('node:') || file.startsWith('internal/') || file === '<anonymous>' || file === 'native')
    return false;
  if (/[/\\]node_modules[/\\]/.test(file)) return false;
  if (/\.test\.[cm]?[jt]s$/.test(file)) return true;
  return !file.startsWith(ownFolder) && !isSibling(file);
}

function isSibling(file: string): boolean {
  if (!file.startsWith(siblingFolder)) return false;
  const [, folder] = file.slice(siblingFolder.length).split(/[/\\]/);
  return folder === 'src' || folder === 'dist';
}

/** The first frame of a stack that is the user's: not this package or a sibling, not node_modules, not Node itself. */
export function userFrame(stack: string): SourceLine | undefined {
  for (const frame of stack.split('\n')) {
    const match = /^\s+at (?:.*\()?(.+?):(\d+):(\d+)\)?$/.exec(frame);
    if (match === null) continue;
    const [, place = '', line, column] = match;
    const file = filePath(place.replace(/^async /, ''));
    if (isUserFile(file)) return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

/**
 * The user's line that made the current call. Costs a stack capture, so only replays ask for it; undefined where no frame
 * of the user is left on the stack.
 */
export function callerLine(): SourceLine | undefined {
  const before = Error.stackTraceLimit;
  try {
    // Reflect.set does not throw where a host has frozen the built-ins.
    Reflect.set(Error, 'stackTraceLimit', STACK_FRAMES_MAX);
    const { stack } = new Error('where am I called from');
    return typeof stack === 'string' ? userFrame(stack) : undefined;
  } catch {
    return undefined;
  } finally {
    Reflect.set(Error, 'stackTraceLimit', before);
  }
}

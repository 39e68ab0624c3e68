import { fileURLToPath } from 'node:url';
import type { SourceLine } from '@reenact/trace-model';
import { KNOWN_STACKS_MAX, STACK_FRAMES_MAX, STACK_FRAMES_NEAR, STACK_FRAMES_NEAREST } from './limits.ts';

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

/** Any function that stands on the stack. */
export type Callee = (...parameters: never[]) => unknown;

/** Lines that were found before, by where each frame of the stack stands; a stack is formatted only once. */
const known = new Map<string, SourceLine | undefined>();
/** Whoever formats stacks may map positions to other files: what it said holds only while it is the one. */
let knownBy: unknown;
const fileNumbers = new Map<string, number>();

function keepSites(_: unknown, sites: NodeJS.CallSite[]): NodeJS.CallSite[] {
  return sites;
}

/** The frames below `callee` without the cost of text; undefined where the host does not let them be had. */
function sitesBelow(callee: Callee): readonly NodeJS.CallSite[] | undefined {
  const before = Error.prepareStackTrace;
  if (!Reflect.set(Error, 'prepareStackTrace', keepSites)) return undefined;
  try {
    const holder: { stack?: unknown } = {};
    Error.captureStackTrace(holder, callee);
    const sites = holder.stack;
    return Array.isArray(sites) ? sites : undefined;
  } finally {
    if (before === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace');
    else Reflect.set(Error, 'prepareStackTrace', before);
  }
}

/** File names are long; a number stands for each in what is remembered. */
function numberOf(file: string): number {
  const number = fileNumbers.get(file) ?? fileNumbers.size;
  fileNumbers.set(file, number);
  return number;
}

/** A text that is equal only for stacks of the same frames; undefined where code without a file is among them. */
function placesOf(sites: readonly NodeJS.CallSite[]): string | undefined {
  let places = '';
  for (const site of sites) {
    const file = site.getFileName();
    if (site.isEval()) return undefined;
    // What built-in functions do on the way decides nothing about the line.
    if (typeof file === 'string') places += `${numberOf(file)}:${site.getPosition()};`;
  }
  return places;
}

function formattedLine(callee: Callee): SourceLine | undefined {
  const holder: { stack?: unknown } = {};
  Error.captureStackTrace(holder, callee);
  const { stack } = holder;
  return typeof stack === 'string' ? userFrame(stack) : undefined;
}

function forget(): void {
  known.clear();
  fileNumbers.clear();
}

function lineWithin(callee: Callee, framesMax: number): SourceLine | undefined {
  // Reflect.set does not throw where a host has frozen the built-ins.
  Reflect.set(Error, 'stackTraceLimit', framesMax);
  const sites = sitesBelow(callee);
  const places = sites === undefined ? undefined : placesOf(sites);
  const formatter = Error.prepareStackTrace;
  if (formatter !== knownBy) known.clear();
  knownBy = formatter;
  if (places === undefined) return formattedLine(callee);
  const key = `${framesMax}|${places}`;
  if (known.has(key)) return known.get(key);
  const line = formattedLine(callee);
  known.set(key, line);
  return line;
}

/**
 * The user's line that made the current call; undefined where no frame of the user is left on the stack. Costs a look at the
 * stack, so only replays ask for it; the text of a stack, which costs ten times that, is made once for each way to a call.
 * `callee`: a function of ours on the stack, above which nothing is looked at. `isCalledByHost`: nearly always the line that it
 * was called at is the user's.
 */
export function callerLine(callee: Callee = callerLine, isCalledByHost = false): SourceLine | undefined {
  const before = Error.stackTraceLimit;
  // Before the numbers of files are looked up: forgetting them later would make two files one.
  if (known.size >= KNOWN_STACKS_MAX) forget();
  try {
    const nearest = isCalledByHost ? lineWithin(callee, STACK_FRAMES_NEAREST) : undefined;
    // Nearly always the line is near, and each frame further down takes time to look at.
    return nearest ?? lineWithin(callee, STACK_FRAMES_NEAR) ?? lineWithin(callee, STACK_FRAMES_MAX);
  } catch {
    return undefined;
  } finally {
    Reflect.set(Error, 'stackTraceLimit', before);
  }
}

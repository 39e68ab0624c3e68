import { fileURLToPath } from 'node:url';
import type { SourceLine } from '@reenact/trace-model';
import { asOwnWork } from './host/own-work.ts';
import { KNOWN_STACKS_MAX, STACK_FRAMES_MAX, STACK_FRAMES_NEAR } from './limits.ts';

/** This module as it is written, and the file that the build of this package puts it into; both lie one folder below the package's. */
const OWN_FILE = /\/(source-line\.ts|instrumentation\/dist\/index\.js)$/;

/** Where this module lies; undefined in a user's bundle, where ours and the user's code are one file, which is the user's. */
function ownUrl(): string | undefined {
  // A bundler that makes CommonJS leaves nothing of it.
  const url = import.meta.url as string | undefined;
  return url !== undefined && OWN_FILE.test(url) ? url : undefined;
}

function folderFromHere(path: string): string | undefined {
  const url = ownUrl();
  return url === undefined ? undefined : fileURLToPath(new URL(path, url));
}

const ownFolder = folderFromHere('.');
// `<packages>/instrumentation/src/` and its siblings, or `node_modules/@reenact/instrumentation/dist/`.
const siblingFolder = folderFromHere('../../');

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
  return (ownFolder === undefined || !file.startsWith(ownFolder)) && !isSibling(file);
}

function isSibling(file: string): boolean {
  if (siblingFolder === undefined || !file.startsWith(siblingFolder)) return false;
  const [, folder] = file.slice(siblingFolder.length).split(/[/\\]/);
  return folder === 'src' || folder === 'dist';
}

/** Whether a frame of a stack stands in this package or a sibling. */
export function isOwnFile(place: string): boolean {
  const file = filePath(place);
  if (/\.test\.[cm]?[jt]s$/.test(file)) return false;
  return isSibling(file) || (ownFolder !== undefined && file.startsWith(ownFolder));
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

/** A call of one of our functions, held with the frame that made it; its line is worked out when it is asked for. */
export interface CapturedCall {
  readonly callee: Callee;
  /** Taken by V8, which makes text of it only when it is read. */
  readonly stack?: unknown;
}

/** Lines that were found before, by where each frame of the stack stands; a stack is formatted only once. */
const known = new Map<string, SourceLine | undefined>();
/** The same of single frames, by file and by position in it. */
const knownFrames = new Map<string, Map<number, SourceLine | undefined>>();
let knownFrameCount = 0;
/** Whoever formats stacks may map positions to other files: what it said holds only while it is the one. */
let knownBy: unknown;
const fileNumbers = new Map<string, number>();

function keepSites(_: unknown, sites: NodeJS.CallSite[]): NodeJS.CallSite[] {
  return sites;
}

/** The frames that were captured, without the cost of text; undefined where the host does not let them be had. */
function sitesOf(holder: { readonly stack?: unknown }): readonly NodeJS.CallSite[] | undefined {
  const before = Error.prepareStackTrace;
  if (!Reflect.set(Error, 'prepareStackTrace', keepSites)) return undefined;
  try {
    const sites = holder.stack;
    return Array.isArray(sites) ? sites : undefined;
  } finally {
    if (before === undefined) Reflect.deleteProperty(Error, 'prepareStackTrace');
    else Reflect.set(Error, 'prepareStackTrace', before);
  }
}

function capturedBelow(callee: Callee): { stack?: unknown } {
  const holder = {};
  Error.captureStackTrace(holder, callee);
  return holder;
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
  // A host's formatter may read source maps, for which it draws random numbers: no part of the run that is looked at.
  const { stack } = asOwnWork(() => ({ stack: capturedBelow(callee).stack }));
  return typeof stack === 'string' ? userFrame(stack) : undefined;
}

function forget(): void {
  known.clear();
  knownFrames.clear();
  knownFrameCount = 0;
  fileNumbers.clear();
}

function forgetOtherFormatters(): void {
  const formatter = Error.prepareStackTrace;
  if (formatter !== knownBy) forget();
  knownBy = formatter;
}

function lineWithin(callee: Callee, framesMax: number): SourceLine | undefined {
  // Reflect.set does not throw where a host has frozen the built-ins.
  Reflect.set(Error, 'stackTraceLimit', framesMax);
  const sites = sitesOf(capturedBelow(callee));
  const places = sites === undefined ? undefined : placesOf(sites);
  if (places === undefined) return formattedLine(callee);
  const key = `${framesMax}|${places}`;
  if (known.has(key)) return known.get(key);
  const line = formattedLine(callee);
  known.set(key, line);
  return line;
}

/** The line of the one frame that was captured, where that is the user's. */
function lineOfFrame(call: CapturedCall): SourceLine | undefined {
  const site = sitesOf(call)?.[0];
  const file = site?.getFileName();
  if (site === undefined || typeof file !== 'string' || site.isEval()) return undefined;
  const position = site.getPosition();
  const inFile = knownFrames.get(file);
  const line = inFile?.get(position);
  if (line !== undefined || inFile?.has(position) === true) return line;
  Reflect.set(Error, 'stackTraceLimit', 1);
  const found = formattedLine(call.callee);
  if (inFile === undefined) knownFrames.set(file, new Map([[position, found]]));
  else inFile.set(position, found);
  knownFrameCount += 1;
  return found;
}

/**
 * Takes the frame that called `callee`, a function of ours that is running. Looking at a stack costs most for the frames on the
 * way: what is taken where the host's call comes in need not be looked for further down. Undefined where the host forbids it.
 */
export function captureCall(callee: Callee): CapturedCall | undefined {
  const before = Error.stackTraceLimit;
  try {
    Reflect.set(Error, 'stackTraceLimit', 1);
    const call = { callee };
    Error.captureStackTrace(call, callee);
    return call;
  } catch {
    return undefined;
  } finally {
    Reflect.set(Error, 'stackTraceLimit', before);
  }
}

/**
 * The user's line that made the current call; undefined where no frame of the user is left on the stack. Costs a look at the
 * stack, so only replays ask for it; the text of a stack, which costs ten times that, is made once for each way to a call.
 * `callee`: a function of ours on the stack, above which nothing is looked at. `call`: the call of it, where it was captured;
 * nearly always the line that it was called at is the user's.
 */
export function callerLine(callee: Callee = callerLine, call?: CapturedCall): SourceLine | undefined {
  const before = Error.stackTraceLimit;
  // Before the numbers of files are looked up: forgetting them later would make two files one.
  if (known.size + knownFrameCount >= KNOWN_STACKS_MAX) forget();
  try {
    forgetOtherFormatters();
    const nearest = call === undefined ? undefined : lineOfFrame(call);
    // Nearly always the line is near, and each frame further down takes time to look at.
    return nearest ?? lineWithin(callee, STACK_FRAMES_NEAR) ?? lineWithin(callee, STACK_FRAMES_MAX);
  } catch {
    return undefined;
  } finally {
    Reflect.set(Error, 'stackTraceLimit', before);
  }
}

/** A frame of a stack: its file, and the function with what it is a method of, and as which where a minifier took its name. */
export interface CallingFrame {
  readonly file: string;
  readonly name: string;
}

/** The frames that led to `callee`, which stands on the stack, nearest first; frames without a file are left out. */
export function callingFrames(callee: Callee, framesMax: number): readonly CallingFrame[] {
  const limit = Error.stackTraceLimit;
  try {
    Reflect.set(Error, 'stackTraceLimit', framesMax);
    const sites = sitesOf(capturedBelow(callee)) ?? [];
    return sites.flatMap((site) => {
      const file = site.getFileName();
      if (typeof file !== 'string') return [];
      const own = [site.getTypeName(), site.getFunctionName()].filter((part) => part !== null).join('.');
      const method = site.getMethodName();
      return [{ file, name: method === null || own.endsWith(method) ? own : `${own} ${method}` }];
    });
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit);
  }
}

/** The files of the frames that led to `callee`, which stands on the stack, nearest first; frames without a file are left out. */
export function callingFiles(callee: Callee, framesMax: number): readonly string[] {
  return callingFrames(callee, framesMax).map(({ file }) => file);
}

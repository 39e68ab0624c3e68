import { fileURLToPath } from 'node:url';
import { STACK_FRAMES_NEAR } from '../../limits.ts';
import { packageOf } from '../../patching/package-of.ts';
import { type Callee, callingFiles, isOwnFile } from '../../source-line.ts';
import { isPatchedUndici } from './patched-undici.ts';

/** What HTTP of the platform is made of: its requests are crossings, whoever opens the connection. */
const platformHttpPattern = /^node:(?:_http_|https?$|internal\/http2\/|internal\/deps\/undici)/;
/** Packages whose requests and calls are crossings, too, by what tells whether the copy in a folder is patched. */
const instrumented: ReadonlyMap<string, (folder: string) => boolean> = new Map([
  ['undici', isPatchedUndici],
  ['@grpc/grpc-js', () => true],
  // Looks up the names of HTTP clients that are given it.
  ['cacheable-lookup', () => true],
]);
/** They ask an agent for the connection of a request in a promise of their own, behind which no code of HTTP is on the stack. */
const askingPackages: ReadonlySet<string> = new Set(['agent-base', 'socks-proxy-agent']);
/** Instruments of others, which stand between a caller and the function that it calls. */
const tracerPattern =
  /^(?:@opentelemetry\/|@sentry\/|(?:dd-trace|newrelic|elastic-apm-node|shimmer|import-in-the-middle|require-in-the-middle)$)/;

/** Ours, whose functions stand between a caller and the platform's, too. */
const ownPattern = /^(?:@reenact\/|reenact$)/;

/** Whose code asks for a connection. `package` is undefined for the app's own. */
export type ConnectingCode =
  | { readonly type: 'instrumented' }
  | { readonly type: 'code'; readonly package: string | undefined };

/** Loggers that begin new files as they go, and do away with old ones. */
const turningLoggers: ReadonlySet<string> = new Set([
  'file-stream-rotator',
  'pino-roll',
  'rotating-file-stream',
  'winston',
  'winston-daily-rotate-file',
]);
/** What they do that by, and note down which files there are. None gives anything but that it succeeded. */
const turningPattern = /^(?:mkdir|rename|symlink|unlink|writeFile)(?:Sync)?$/;

function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}

/**
 * Whether a request asked that code for its connection (`createConnection`), as those of `ws` and agents that go by a proxy do. Listeners are
 * called by `node:events`, and not by HTTP itself.
 */
function isAskedByHttp(files: readonly string[], index: number): boolean {
  const caller = files.find((file, at) => at > index && file !== files[index]);
  if (caller === undefined || platformHttpPattern.test(caller)) return caller !== undefined;
  return askingPackages.has((caller.startsWith('node:') ? undefined : packageOf(pathOf(caller))?.name) ?? '');
}

/**
 * Tells by the stack whose code called `callee`, the function that stands for the platform's. Files of the platform that
 * `coveredPattern` matches count as instrumented, too.
 */
export function connectingCode(callee: Callee, coveredPattern?: RegExp): ConnectingCode {
  const files = callingFiles(callee, STACK_FRAMES_NEAR);
  for (const [index, file] of files.entries()) {
    if (platformHttpPattern.test(file) || coveredPattern?.test(file) === true) return { type: 'instrumented' };
    if (file.startsWith('node:')) continue;
    const copy = packageOf(pathOf(file));
    const name = copy?.name;
    if (name !== undefined && tracerPattern.test(name)) continue;
    if (copy !== undefined && instrumented.get(copy.name)?.(copy.folder) === true) return { type: 'instrumented' };
    return isAskedByHttp(files, index) ? { type: 'instrumented' } : { type: 'code', package: name };
  }
  return { type: 'code', package: undefined };
}

/**
 * Tells by the stack whose code called `callee`, whatever of ours and of tracers stands between; undefined where all of it is ours. Where
 * only the platform's is left, somebody's is assumed.
 */
export function changingCode(callee: Callee): { readonly package: string | undefined } | undefined {
  let isOwn = false;
  for (const file of callingFiles(callee, STACK_FRAMES_NEAR)) {
    if (file.startsWith('node:')) continue;
    const name = packageOf(pathOf(file))?.name;
    if (name === undefined || !(ownPattern.test(name) || tracerPattern.test(name))) return { package: name };
    isOwn ||= ownPattern.test(name);
  }
  return isOwn ? undefined : { package: undefined };
}

/** Whose code called `callee`, whatever of tracers stands between; undefined where that is ours, or a tracer's and nobody else's. */
export function requestingCode(callee: Callee): { readonly package: string | undefined } | undefined {
  for (const file of callingFiles(callee, STACK_FRAMES_NEAR)) {
    if (file.startsWith('node:')) continue;
    const name = packageOf(pathOf(file))?.name;
    if (name !== undefined && ownPattern.test(name)) return undefined;
    if (name === undefined || !tracerPattern.test(name)) return { package: name };
  }
  return undefined;
}

/** The package whose code called `callee`, whatever of ours and of tracers stands between; undefined where it is the app's own, or only the platform's. */
function callingPackage(callee: Callee): string | undefined {
  for (const file of callingFiles(callee, STACK_FRAMES_NEAR)) {
    if (file.startsWith('node:') || isOwnFile(file)) continue;
    const name = packageOf(pathOf(file))?.name;
    if (name === undefined || !(ownPattern.test(name) || tracerPattern.test(name))) return name;
  }
  return undefined;
}

/** Whether it is code of a package, and not the app's own, that called `callee`. */
export function isCodeOfPackage(callee: Callee): boolean {
  return callingPackage(callee) !== undefined;
}

/** Where Elastic's agent has a program say what the machine is called; where there is none it asks the platform. */
const hostnamePattern = /[/\\]elastic-apm-node[/\\].*[/\\]detect-hostname\.js$/;

/** Whether it is an agent of another vendor that starts a program by way of `callee`, to know what the machine is called: a replay has none. */
export function asksForHostname(callee: Callee): boolean {
  const files = callingFiles(callee, STACK_FRAMES_NEAR);
  return hostnamePattern.test(files.find((file) => !file.startsWith('node:') && !isOwnFile(file)) ?? '');
}

/**
 * Whether a call of the function `key` of `node:fs` by way of `callee` is that of a logger whose log turns over, told by the stack: a replay leaves it out
 * (docs/adr/0048).
 */
export function turnsLogOver(key: string, callee: Callee): boolean {
  return turningPattern.test(key) && turningLoggers.has(callingPackage(callee) ?? '');
}

import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  guarded,
  isWrappedDriver,
  loadedDriver,
  type PackageCopy,
  packageOf,
  pristine,
  trapLog,
} from '@reenact/instrumentation';
import { PRELOADED_TOLD_AFTER_MS } from '../limits.ts';
import { PATCHED_PACKAGES } from '../recording/install-instrumentations.ts';
import { type ApiState, apiState, areBlind, isFinding, isRefused } from './api-state.ts';
import { API_PACKAGES, SET_UP_PACKAGES } from './known-packages.ts';

const API = '@opentelemetry/api';

function versionIn(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown };
  return typeof version === 'string' ? version : '0.0.0';
}

/** The copy of the API that code in a folder finds: in the nearest `node_modules` from there upwards. */
function apiFolderOf(folder: string): string | undefined {
  const path = join(folder, 'node_modules', API);
  if (existsSync(join(path, 'package.json'))) return path;
  const above = dirname(folder);
  return above === folder ? undefined : apiFolderOf(above);
}

/** Whether a version is in a range of the form `>=1.20.0 <2`. */
function isWithin(version: string, range: string): boolean {
  const [least = [], [tooHigh = 0] = []] = range
    .split(' ')
    .map((bound) => bound.replace(/^\D+/, '').split('.').map(Number));
  const parts = version.split('.').map((part) => Number.parseInt(part, 10));
  if ((parts[0] ?? 0) >= tooHigh) return false;
  const differing = least.findIndex((part, index) => part !== parts[index]);
  return differing < 0 || (parts[differing] ?? 0) > (least[differing] ?? 0);
}

/** Keeps what copies of which packages a process has loaded. */
export class LoadedPackages {
  private readonly folders = new Set<string>();
  private readonly apis = new Map<string, Map<string, string>>();
  private readonly refusing = new Set<string>();
  private readonly drivers = new Set<string>();
  private readonly early = new Set<string>();
  private readonly state: ApiState;
  private join: ((folder: string) => void) | undefined;

  constructor(state: ApiState = apiState) {
    this.state = state;
  }

  /** Has `join` see to it that an SDK may register through the copy of the API in a folder, where it would be refused. */
  joinBy(join: (folder: string) => void): void {
    this.join = join;
  }

  /** Takes the name of a patched package that was loaded before the hook. Loaded again by anybody, it is patched then. */
  preload(name: string): void {
    this.early.add(name);
  }

  /** Tells of those that nobody has loaded again. */
  reportPreloaded(): void {
    for (const name of this.early) trapLog.report('library-preloaded', name);
  }

  /** Takes the address of a module that is about to be loaded. */
  note(url: string): void {
    this.noteDriver(url);
    if (!url.startsWith('file:') || !url.includes('/node_modules/')) return;
    const found = packageOf(fileURLToPath(url));
    if (found === undefined) return;
    this.early.delete(found.name);
    if (this.folders.has(found.folder)) return;
    this.folders.add(found.folder);
    this.noteDriver(found.name);
    if (API_PACKAGES.has(found.name)) this.compare(found);
    if (SET_UP_PACKAGES.has(found.name)) this.noteSetUp(found);
    const patched = PATCHED_PACKAGES.get(found.name);
    if (patched === undefined) return;
    const version = versionIn(found.folder);
    if (isWithin(version, patched)) return;
    trapLog.report('library-version', `${found.name} ${version} in ${found.folder}; patched are ${patched}`);
  }

  private noteDriver(name: string): void {
    const driver = loadedDriver(name);
    if (driver !== undefined) this.drivers.add(driver);
  }

  /** Drivers that were loaded and of which no client was wrapped until now, or one that was not has connected. */
  unwrapped(): string[] {
    return [...this.drivers].filter((driver) => !isWrappedDriver(driver));
  }

  /** An SDK registers providers by the copy of the API that its folder finds, whoever loads that copy first. */
  private noteSetUp(sdk: PackageCopy): void {
    const folder = apiFolderOf(sdk.folder);
    if (folder === undefined || this.refusing.has(folder)) return;
    const version = versionIn(folder);
    if (!isRefused(version, this.state)) return;
    this.refusing.add(folder);
    if (!this.isJoining(version))
      trapLog.report('api-versions', `${sdk.name} sets up through ${API} ${version} in ${folder}`);
  }

  /** Whether what is set up through a copy of the API of this version is joined to what came first. */
  private isJoining(version: string): boolean {
    return this.join !== undefined && isRefused(version, this.state) && isFinding(version, this.state);
  }

  private compare({ name, folder }: PackageCopy): void {
    const version = versionIn(folder);
    if (name === API && this.isJoining(version)) this.join?.(folder);
    const copies = this.apis.get(name) ?? new Map<string, string>();
    this.apis.set(name, copies);
    const [first, ...others] = copies;
    copies.set(folder, version);
    if (first === undefined) return;
    // Once for each copy: of many, every pair would fill pages.
    const blind = [first, ...others].find(([, other]) => areBlind(name, other, version, this.state));
    const [otherFolder, other] = blind ?? first;
    const kind = blind === undefined ? 'api-copies' : 'api-versions';
    trapLog.report(kind, `${name} ${other} in ${otherFolder}, ${version} in ${folder}`);
  }
}

/** What this process has loaded since the hook. */
export const loadedPackages = new LoadedPackages();

/** CommonJS copies of patched libraries that are there already when the hook comes. ES modules cannot be looked up. */
function notePreloaded(): void {
  const { cache } = createRequire(import.meta.url);
  const early = new Set(Object.keys(cache).flatMap((path) => packageOf(path)?.name ?? []));
  for (const name of early) if (PATCHED_PACKAGES.has(name)) loadedPackages.preload(name);
  const report = (): void =>
    guarded('telling of preloaded libraries', () => loadedPackages.reportPreloaded(), undefined);
  if (early.size > 0) pristine.setTimeout(report, PRELOADED_TOLD_AFTER_MS).unref();
}

/** Watches from now on which packages are loaded, and reports what is wrong with them. Never throws. */
export function watchModules(): void {
  guarded('looking at loaded modules', notePreloaded, undefined);
  // The copy this package itself uses was loaded with it, before there was anything to watch.
  guarded(
    'finding the own OpenTelemetry API',
    () => loadedPackages.note(import.meta.resolve('@opentelemetry/api')),
    undefined,
  );
  guarded(
    'watching loaded modules',
    () => {
      registerHooks({
        resolve: (specifier, context, next) => {
          const resolved = next(specifier, context);
          guarded('looking at a loaded module', () => loadedPackages.note(resolved.url), undefined);
          return resolved;
        },
      });
    },
    undefined,
  );
}

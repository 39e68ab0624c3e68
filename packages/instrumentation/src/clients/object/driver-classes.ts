import {
  type ErrorClass,
  type LibraryClassOptions,
  registerErrorClass,
  registerErrorSymbols,
  registerLibraryClass,
  type ValueClass,
} from '@reenact/trace-model';
import { guarded } from '../../host/report-failure.ts';
import { packageOf } from '../../patching/package-of.ts';

/** Where the classes of a driver are found that a replay makes instances of. */
export interface DriverClasses {
  /** The name of its package. */
  readonly packageName: string;
  /** Names under which it exports what applications wrap: a class of clients, or a function of the module. */
  readonly exported: readonly string[];
  /** What the class of clients is called that one of its modules, and in some versions no other, exports as its default. */
  readonly byDefault?: string;
  /** Error classes are all that it exports with such a name. */
  readonly errors?: RegExp;
  /** The class at the root of those, and what the symbols are called under which an instance made of an empty message keeps members. */
  readonly errorSymbols?: { readonly class: string; readonly names: readonly string[] };
  /** Classes of what it gives, by name. */
  readonly values?: Readonly<Record<string, LibraryClassOptions>>;
  /** What of this kind is not exported but made: one instance of each class. */
  readonly made?: (driver: object) => readonly unknown[];
}

type Exports = object & Readonly<Record<string, unknown>>;

/**
 * CommonJS modules that the process has loaded, as ES modules load them, too. They are the same whoever asks: in a bundle of CommonJS this
 * module has no place of its own to ask from. Not by an import: webpack makes `undefined` of what it cannot place.
 */
const { cache } = process.getBuiltinModule('node:module').createRequire(process.execPath);

function isHolder(value: unknown): value is Exports {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Own members only: a module may answer anything for others. One that throws when it is read is none. */
function memberOf(exports: Exports, name: string): unknown {
  try {
    return Object.hasOwn(exports, name) ? exports[name] : undefined;
  } catch {
    return undefined;
  }
}

/** What of a module applications wrap, or is the parent of that. */
function wrappedIn(exports: Exports, { exported, byDefault }: DriverClasses): readonly unknown[] {
  const named = exported.map((name) => memberOf(exports, name)).filter((found) => typeof found === 'function');
  if (byDefault === undefined) return named;
  const found = memberOf(exports, 'default');
  return typeof found === 'function' && found.name === byDefault ? [...named, found] : named;
}

/** The modules of a loaded copy of a package. */
interface LoadedCopy {
  readonly name: string;
  readonly modules: Exports[];
}

type Copies = ReadonlyMap<string, readonly Exports[]>;

/** By folder, of so many loaded modules: one walk through those of a large application serves the drivers that are looked for, for it takes milliseconds. */
let packages: { readonly loaded: number; readonly copies: ReadonlyMap<string, LoadedCopy> } | undefined;
/** What was found when so many modules were loaded: an application may wrap a client for each request. */
const found = new Map<string, { readonly loaded: number; readonly copies: Copies }>();
/** By what was asked for and the driver's module: how many modules of its copy the classes were taken from. */
const registered = new WeakMap<DriverClasses, WeakMap<Exports, number>>();

function loadedPackages(loaded: number): ReadonlyMap<string, LoadedCopy> {
  if (packages?.loaded === loaded) return packages.copies;
  const copies = new Map<string, LoadedCopy>();
  for (const [path, module] of Object.entries(cache)) {
    const copy = packageOf(path);
    const exports: unknown = module?.exports;
    if (copy === undefined || !isHolder(exports)) continue;
    const known = copies.get(copy.folder);
    if (known === undefined) copies.set(copy.folder, { name: copy.name, modules: [exports] });
    else known.modules.push(exports);
  }
  packages = { loaded, copies };
  return copies;
}

function copiesOf(classes: DriverClasses): Copies {
  const loaded = Object.keys(cache).length;
  const known = found.get(classes.packageName);
  if (known?.loaded === loaded) return known.copies;
  const copies = findCopies(classes, loaded);
  found.set(classes.packageName, { loaded, copies });
  return copies;
}

/** The modules of every loaded copy of a driver. */
export function loadedCopies(classes: DriverClasses): Iterable<readonly object[]> {
  return copiesOf(classes).values();
}

/** The modules of every loaded copy of a package, by the folder of the copy; first those under its own name, then those that npm installed under an alias. */
function findCopies(classes: DriverClasses, loaded: number): Copies {
  const own: [folder: string, modules: readonly Exports[]][] = [];
  const aliases: [folder: string, modules: readonly Exports[]][] = [];
  for (const [folder, { name, modules }] of loadedPackages(loaded)) {
    if (name === classes.packageName) own.push([folder, modules]);
    else if (modules.some((exports) => wrappedIn(exports, classes).length > 0)) aliases.push([folder, modules]);
  }
  return new Map([...own, ...aliases]);
}

function isFrom(exported: unknown, client: object): boolean {
  if (typeof exported !== 'function') return false;
  const { prototype } = exported;
  const isParent = (of: unknown): boolean =>
    typeof prototype === 'object' &&
    prototype !== null &&
    isHolder(of) &&
    Object.prototype.isPrototypeOf.call(prototype, of);
  if (exported === client || isParent(client)) return true;
  return typeof client === 'function' && isParent(client.prototype);
}

/** The module of the very copy that a client is of: it exports the client's class, or is what was wrapped. */
function driverOf(modules: readonly Exports[], client: object, classes: DriverClasses): Exports | undefined {
  // A module that was imported as a namespace is another object with the same members.
  const isSame = (exported: unknown, name: string): boolean =>
    typeof exported === 'function' && Object.hasOwn(client, name) && Reflect.get(client, name) === exported;
  return modules.find(
    (exports) =>
      wrappedIn(exports, classes).some((found) => isFrom(found, client)) ||
      classes.exported.some((name) => isSame(memberOf(exports, name), name)),
  );
}

/** A class under its own name: the module itself, or a member of it. */
function classesIn(exports: Exports, isWanted: (name: string) => boolean): ValueClass[] {
  const members = Object.keys(exports).filter(isWanted);
  const candidates: unknown[] = [exports, ...members.map((name) => memberOf(exports, name))];
  return candidates.filter((found): found is ValueClass => typeof found === 'function' && isWanted(found.name));
}

function isErrorClass(value: ValueClass): value is ErrorClass {
  return Object.prototype.isPrototypeOf.call(Error.prototype, value.prototype as object);
}

/** Symbols that a module keeps to itself are read off an instance. */
function registerSymbols(errorClass: ErrorClass, names: readonly string[]): void {
  const symbols = Object.getOwnPropertySymbols(Reflect.construct(errorClass as new (message: string) => Error, ['']));
  registerErrorSymbols(
    errorClass,
    symbols.filter(({ description = '' }) => names.includes(description)),
  );
}

/** The classes of this name that a copy of a driver has. */
function classesNamed(name: string, modules: readonly Exports[], driver: Exports, classes: DriverClasses): unknown[] {
  const { values = {}, made } = classes;
  const exported = modules.flatMap((exports) => classesIn(exports, (candidate) => candidate === name));
  const instances = Object.hasOwn(values, name) ? (made?.(driver) ?? []) : [];
  const ofInstances = instances.filter(isHolder).map((instance): unknown => instance.constructor);
  return [...exported, ...ofInstances.filter((found) => (found as ValueClass).name === name)];
}

/** A class that the value codec does not know: `met` is the class itself, where there is an instance of it. */
export interface WantedClass {
  readonly name: string;
  readonly met: object | undefined;
}

/**
 * Makes the classes of a loaded driver known, one of which is the wanted one, whether or not anybody wrapped a client of it. Not where
 * copies are loaded that have several of its name: nothing says then of which an instance was. Never throws.
 */
export function registerClassesWith({ name, met }: WantedClass, classes: DriverClasses): void {
  guarded(
    `looking for ${name} of ${classes.packageName}`,
    () => {
      const copies = Array.from(copiesOf(classes).values(), (modules) => {
        const driver = modules.find((exports) => wrappedIn(exports, classes).length > 0);
        const named = driver === undefined ? [] : classesNamed(name, modules, driver, classes);
        return { driver, modules, named };
      }).filter(({ named }) => named.length > 0);
      // One copy may give on what another one makes, as the package redis does.
      const [found, ...others] = new Set(copies.flatMap(({ named }) => named));
      const [first] = copies;
      if (first?.driver === undefined || others.length > 0) return;
      if (met === undefined || found === met) registerFrom(first.modules, first.driver, classes);
    },
    undefined,
  );
}

function registerFrom(modules: readonly Exports[], driver: Exports, classes: DriverClasses): void {
  const { packageName, errors, errorSymbols, values = {}, made } = classes;
  for (const exports of modules) {
    for (const found of classesIn(exports, (name) => errors?.test(name) === true)) {
      if (!isErrorClass(found)) continue;
      registerErrorClass(found, packageName);
      if (found.name === errorSymbols?.class) registerSymbols(found, errorSymbols.names);
    }
    for (const found of classesIn(exports, (name) => Object.hasOwn(values, name))) {
      registerLibraryClass(found, values[found.name]);
    }
  }
  for (const instance of made?.(driver) ?? []) {
    if (isHolder(instance) && Object.hasOwn(values, instance.constructor.name)) {
      registerLibraryClass(instance.constructor as ValueClass, values[instance.constructor.name]);
    }
  }
}

/**
 * Makes the classes of the driver that a client is of known to the value codec: those of the very copy of the package from which
 * the client's own class is. Nothing is loaded for it. Where the driver is bundled or no CommonJS module, nothing is found, and
 * classes are known as far as the application names them. Never throws.
 */
export function registerDriverClasses(client: object, classes: DriverClasses): void {
  guarded(
    `looking for the classes of ${classes.packageName}`,
    () => {
      for (const modules of copiesOf(classes).values()) {
        const driver = driverOf(modules, client, classes);
        if (driver === undefined) continue;
        const counts = registered.get(classes) ?? new WeakMap<Exports, number>();
        if (counts.get(driver) !== modules.length) registerFrom(modules, driver, classes);
        registered.set(classes, counts.set(driver, modules.length));
        return;
      }
    },
    undefined,
  );
}

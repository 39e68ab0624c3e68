import { processState } from '../process/process-state.ts';
import { classFinder } from './class-finder.ts';
import { requireClass } from './require-class.ts';

/** A class whose instances can be made again from their own fields. */
export type ValueClass = abstract new (...parameters: never[]) => object;

/** What is to be known of a library's class beside the class. */
export interface LibraryClassOptions {
  /** Own fields of its instances that are not enumerable. */
  readonly hidden?: readonly string[];
  /** Accessors by which that is read and set which its instances keep under symbols. */
  readonly accessors?: readonly string[];
}

interface ValueClasses {
  readonly own: Map<string, ValueClass>;
  readonly ofLibraries: Map<string, ValueClass>;
  readonly hiddenFields: WeakMap<object, readonly string[]>;
  readonly accessors: WeakMap<object, readonly string[]>;
}

const classes = processState<ValueClasses>('value-classes.2', () => ({
  own: new Map(),
  ofLibraries: new Map(),
  hiddenFields: new WeakMap(),
  accessors: new WeakMap(),
}));

/** Makes a user's class known, so that its instances come back as instances and are not lossy. Throws ReenactError `bad-argument` for what is no class. */
export function registerValueClass(valueClass: ValueClass): void {
  requireClass('registerValueClass(valueClass)', valueClass);
  classes.own.set(valueClass.name, valueClass);
}

/** The same for a class that a library brings and nobody named: a user's class of that name goes first. */
export function registerLibraryClass(valueClass: ValueClass, { hidden, accessors }: LibraryClassOptions = {}): void {
  classes.ofLibraries.set(valueClass.name, valueClass);
  if (hidden !== undefined) classes.hiddenFields.set(valueClass, hidden);
  if (accessors !== undefined) classes.accessors.set(valueClass, accessors);
}

function knownClass(name: string): ValueClass | undefined {
  return classes.own.get(name) ?? classes.ofLibraries.get(name);
}

/** The class that the instances recorded under a name are made of; undefined where none is known. */
export function valueClassNamed(name: string): ValueClass | undefined {
  const known = knownClass(name);
  if (known !== undefined) return known;
  classFinder()?.findValueClass(name, undefined);
  return knownClass(name);
}

/** Whether an object is of a class of which it can be made again. */
export function isKnownInstance(value: object): boolean {
  const own: unknown = value.constructor;
  if (typeof own !== 'function') return false;
  if (knownClass(own.name) === own) return true;
  classFinder()?.findValueClass(own.name, own);
  return knownClass(own.name) === own;
}

/** The class that a known instance holds itself, as those of decimal.js do, whose copies share one prototype; mostly undefined. */
export function ownClassOf(value: object): ValueClass | undefined {
  const own = value.constructor as unknown;
  return typeof own === 'function' && isKnownInstance(value) && value instanceof own ? (own as ValueClass) : undefined;
}

/** The fields of an instance that do not show when it is looked through, and belong to it all the same. */
export function hiddenFieldsOf(value: object): readonly string[] {
  const own: unknown = value.constructor;
  const known = typeof own === 'function' ? classes.hiddenFields.get(own) : undefined;
  return known?.filter((key) => Object.hasOwn(value, key)) ?? [];
}

/** Whether an object has members under symbols that show when it is looked through. */
export function hasSymbolMembers(value: object): boolean {
  const symbols = Object.getOwnPropertySymbols(value);
  return symbols.length > 0 && symbols.some((key) => Object.prototype.propertyIsEnumerable.call(value, key));
}

/** The accessors of an instance's class by which what stands under symbols is read and set. */
export function accessorsOf(value: object): readonly string[] {
  const own: unknown = value.constructor;
  return (typeof own === 'function' ? classes.accessors.get(own) : undefined) ?? [];
}

/**
 * Whether an object has members under names that do not show and are not kept. Names that begin with two underscores are marks by which
 * tools know what they have met, and nothing of a program's.
 */
export function hasHiddenMembers(value: object, kept: readonly string[] = []): boolean {
  const names = Object.getOwnPropertyNames(value);
  const isShown = (name: string): boolean => Object.prototype.propertyIsEnumerable.call(value, name);
  // Nearly always all that does not show is kept, and what is held, which may be a million items, need not be walked.
  const hidden = names.length - Object.keys(value).length;
  if (hidden === 0) return false;
  if (kept.length > 0 && hidden === kept.filter((name) => Object.hasOwn(value, name) && !isShown(name)).length)
    return false;
  return names.some((name) => !(isShown(name) || kept.includes(name) || name.startsWith('__')));
}

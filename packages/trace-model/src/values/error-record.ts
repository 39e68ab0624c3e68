import { ERROR_CAUSES_MAX, ERROR_ERRORS_MAX, ERROR_FIELDS_MAX, ERROR_RECORDS_MAX } from '../limits.ts';
import { processState } from '../process/process-state.ts';
import { isReenactError } from '../reenact-error.ts';
import { classFinder } from './class-finder.ts';
import type { ErrorClass } from './error-class.ts';
import { symbolsOf } from './error-symbols.ts';
import { isNodeAbortError } from './node-abort-error.ts';
import { requireClass } from './require-class.ts';
import { isError } from './tagged-encode.ts';
import { hasHiddenMembers } from './value-classes.ts';

/** An error as data: what an agent's `catch` can look at. `fields` are the own enumerable fields, tagged as values are. */
export interface ErrorRecord {
  /** Name of the constructor, which `instanceof` answers to. */
  readonly class: string;
  /** The package whose class it is, where several packages may have one of that name. */
  readonly library?: string;
  /** A class of this name was registered when the error was recorded, and the error was of another: it is no instance of that one. */
  readonly isOfAnotherClass?: true;
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  /** Standard members that are own enumerable properties, as `this.name = …` in a constructor makes them. */
  readonly enumerable?: readonly string[];
  readonly fields?: Readonly<Record<string, unknown>>;
  /** The own members that do not show when it is looked through, tagged as values are: what a driver notes of its statement, say. */
  readonly hidden?: Readonly<Record<string, unknown>>;
  /** Its class is an own member of it, under `constructor`: of classes that a compiler wrote for older engines. */
  readonly ownsClass?: true;
  /** Names of all own enumerable members in their order, where that is not the standard ones first. */
  readonly order?: readonly string[];
  /** Names of registered symbols that are own members set to true: the marks by which libraries know their errors across copies. */
  readonly marks?: readonly string[];
  /** Own members under symbols that only the library knows, by what those are called: of classes that name them. */
  readonly symbols?: Readonly<Record<string, unknown>>;
  readonly cause?: LinkedError;
  readonly errors?: readonly LinkedError[];
  /** Of a SuppressedError: what was thrown, and what that left unheard. */
  readonly error?: LinkedError;
  readonly suppressed?: LinkedError;
}

/**
 * What an error names as its cause or holds in a list: an error, anything else, or an error around it, `ancestor` of them up: 1 is the
 * error that names it.
 */
export type LinkedError = ErrorRecord | { readonly value: unknown } | { readonly ancestor: number };

/** Turns a field's value into JSON and back; given by the value codec, which also meets errors inside values. */
export interface FieldCodec {
  encode(value: unknown, pointer: string): unknown;
  decode(tagged: unknown): unknown;
  /** Told what of an error is left out. */
  mark(pointer: string, reason: string): void;
}

const builtIn: ErrorClass[] = [
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  EvalError,
  URIError,
  AggregateError,
];
/** Not every Node.js that is supported has it. */
const Suppressed: unknown = Reflect.get(globalThis, 'SuppressedError');
if (typeof Suppressed === 'function') builtIn.push(Suppressed as unknown as ErrorClass);
/** By name, because each realm has its own of these. `DOMException` is made by its own constructor. */
const platformClasses = new Map(builtIn.map((item) => [item.name, item]));

interface ErrorClasses {
  /** Of the application, by name. */
  readonly own: Map<string, ErrorClass>;
  /** By `<library>/<name>`. */
  readonly ofLibraries: Map<string, ErrorClass>;
  readonly libraries: WeakMap<object, string>;
  readonly registered: WeakSet<object>;
}

/** Of all copies of this package: a bundled instrumentation makes classes known that the gate outside of the bundle meets. */
const classes = processState<ErrorClasses>('error-classes.1', () => ({
  own: new Map(),
  ofLibraries: new Map(),
  libraries: new WeakMap(),
  registered: new WeakSet(),
}));

/**
 * Makes an error class known, so that a recorded error is thrown again as an instance of it. The last class of a name wins,
 * or with `library`, the package it belongs to, the last of that name and package. A class of a library never stands for an error
 * of another class that only has its name. Throws ReenactError `bad-argument` for what is no class.
 */
export function registerErrorClass(errorClass: ErrorClass, library?: string): void {
  requireClass('registerErrorClass(errorClass)', errorClass);
  classes.registered.add(errorClass);
  if (library === undefined) {
    classes.own.set(errorClass.name, errorClass);
    return;
  }
  classes.ofLibraries.set(`${library}/${errorClass.name}`, errorClass);
  classes.libraries.set(errorClass, library);
}

function classOf(error: Error): { readonly name: string; readonly constructor?: object } {
  const found = readSafely(error, 'constructor');
  if (typeof found !== 'function') return { name: 'Error' };
  const name = readSafely(found, 'name');
  return { name: typeof name === 'string' ? name : 'Error', constructor: found };
}

function isOfPlatform(name: string): boolean {
  return platformClasses.has(name) || name === 'DOMException';
}

/** Whether an error can be thrown again as an instance of its own class, as far as anybody can tell: of the platform's, or of the very one that was registered. */
export function isOfKnownErrorClass(error: Error): boolean {
  const { name, constructor: errorClass } = classOf(error);
  if (isOfPlatform(name)) return true;
  if (errorClass === undefined) return false;
  if (isNodeAbortError(name, errorClass)) return true;
  if (!classes.registered.has(errorClass)) classFinder()?.findErrorClass(name, errorClass, undefined);
  return classes.registered.has(errorClass);
}

/** In the order in which `errorFromRecord` makes them: an error has its stack and message before anything is said of it. */
const made: readonly string[] = ['stack', 'message', 'name', 'cause', 'errors'];
/** Those that are kept apart from an error's fields. What is no list under `errors` is a field: of each member of a form what is wrong with it, say. */
function standardMembers(error: Error): readonly string[] {
  return Array.isArray(readSafely(error, 'errors')) ? made : made.filter((key) => key !== 'errors');
}

function isSuppressed(error: Error): boolean {
  return typeof Suppressed === 'function' && error instanceof Suppressed;
}

function readSafely(error: object, key: string | symbol): unknown {
  try {
    return (error as Record<string | symbol, unknown>)[key];
  } catch {
    return undefined;
  }
}

function ownsKnownClass(error: Error): boolean {
  return Object.keys(error).includes('constructor') && isOfKnownErrorClass(error);
}

function ownFields(error: Error, pointer: string, codec: FieldCodec): Record<string, unknown> | undefined {
  const standard = standardMembers(error);
  const isOwnClass = ownsKnownClass(error);
  const keys = Object.keys(error).filter((key) => !standard.includes(key) && !(isOwnClass && key === 'constructor'));
  const kept = keys.slice(0, ERROR_FIELDS_MAX);
  if (kept.length === 0) return undefined;
  if (kept.length < keys.length) codec.mark(pointer, 'too-many-fields');
  return Object.fromEntries(kept.map((key) => [key, codec.encode(readSafely(error, key), `${pointer}/${key}`)]));
}

/**
 * What does not show when it is looked through. A method is told of and left out, as is a member that its own code reads: of a known class
 * both are lost, of another the class is.
 */
function hiddenFields(error: Error, pointer: string, codec: FieldCodec): Record<string, unknown> | undefined {
  const apart = [...standardMembers(error), ...(isSuppressed(error) ? ['error', 'suppressed'] : [])];
  if (!hasHiddenMembers(error, apart)) return undefined;
  const hidden: [name: string, value: unknown][] = [];
  let isCut = false;
  for (const [name, { value, enumerable, get }] of Object.entries(Object.getOwnPropertyDescriptors(error))) {
    if (enumerable === true || apart.includes(name) || name.startsWith('__')) continue;
    if (get === undefined && typeof value !== 'function' && hidden.length < ERROR_FIELDS_MAX)
      hidden.push([name, value]);
    else isCut = true;
  }
  if (isCut && isOfKnownErrorClass(error)) codec.mark(pointer, 'members');
  if (hidden.length === 0) return undefined;
  return Object.fromEntries(hidden.map(([name, value]) => [name, codec.encode(value, `${pointer}/${name}`)]));
}

/** A message that is no text, as of errors that are given what a service answered. */
function oddMessage(error: Error, pointer: string, codec: FieldCodec): Pick<ErrorRecord, 'fields' | 'hidden'> {
  const own = Object.getOwnPropertyDescriptor(error, 'message');
  if (own === undefined || own.value === undefined || typeof own.value === 'string') return {};
  const message = codec.encode(own.value, `${pointer}/message`);
  return own.enumerable === true ? { fields: { message } } : { hidden: { message } };
}

/** Tells of values under symbols that anybody can find, that show, and that are not kept: what is true is a mark. */
function tellSymbols(error: Error, pointer: string, codec: FieldCodec): void {
  const isLost = (key: symbol): boolean =>
    Symbol.keyFor(key) !== undefined &&
    Object.prototype.propertyIsEnumerable.call(error, key) &&
    readSafely(error, key) !== true;
  const isKept = (key: symbol): boolean => Array.from(symbolsOf(classOf(error).constructor).values()).includes(key);
  const keys = Object.getOwnPropertySymbols(error);
  if (keys.some((key) => isLost(key) && !isKept(key))) codec.mark(pointer, 'symbol-members');
}

/** Private fields and values under symbols stay behind; a mark is all that `isInstance` of a library looks for. */
function ownMarks(error: Error): readonly string[] {
  return Object.getOwnPropertySymbols(error)
    .filter((key) => readSafely(error, key) === true)
    .map((key) => Symbol.keyFor(key))
    .filter((name) => name !== undefined)
    .slice(0, ERROR_FIELDS_MAX);
}

function ownSymbols(error: Error, pointer: string, codec: FieldCodec): Record<string, unknown> | undefined {
  const own = Array.from(symbolsOf(classOf(error).constructor)).filter(([, symbol]) => Object.hasOwn(error, symbol));
  if (own.length === 0) return undefined;
  return Object.fromEntries(
    own.map(([name, symbol]) => [name, codec.encode(readSafely(error, symbol), `${pointer}/${name}`)]),
  );
}

/** Where in an error a walk over it and what it names stands. */
interface ErrorPlace {
  readonly pointer: string;
  /** The errors around the one that is looked at, the outermost first. */
  readonly around: readonly Error[];
  /** How many more are recorded of one value: errors that name each other are as many as there are ways through them. */
  readonly budget: { left: number };
}

function linkedError(linked: unknown, place: ErrorPlace, codec: FieldCodec): LinkedError {
  if (!isError(linked)) return { value: codec.encode(linked, place.pointer) };
  const { around, budget, pointer } = place;
  const index = around.lastIndexOf(linked);
  if (index >= 0) return { ancestor: around.length - index };
  if (around.length <= ERROR_CAUSES_MAX && budget.left > 0) return recordOf(linked, place, codec);
  if (around.length > ERROR_CAUSES_MAX) {
    codec.mark(pointer, 'too-deep');
  } else if (budget.left === 0) {
    codec.mark(pointer, 'too-large');
    budget.left = -1;
  }
  return { value: codec.encode(String(linked), pointer) };
}

/** The members by which an error names others. */
function linksOf(error: Error, { pointer, around, budget }: ErrorPlace, codec: FieldCodec): Partial<ErrorRecord> {
  const inside = [...around, error];
  const link = (linked: unknown, step: string): LinkedError =>
    linkedError(linked, { pointer: `${pointer}/${step}`, around: inside, budget }, codec);
  const errors = readSafely(error, 'errors');
  if (Array.isArray(errors) && errors.length > ERROR_ERRORS_MAX) codec.mark(`${pointer}/errors`, 'too-large');
  return {
    ...('cause' in error ? { cause: link(readSafely(error, 'cause'), 'cause') } : {}),
    ...(Array.isArray(errors)
      ? { errors: errors.slice(0, ERROR_ERRORS_MAX).map((item, index) => link(item, `errors/${index}`)) }
      : {}),
    ...(isSuppressed(error)
      ? {
          error: link(readSafely(error, 'error'), 'error'),
          suppressed: link(readSafely(error, 'suppressed'), 'suppressed'),
        }
      : {}),
  };
}

function classRecord(error: Error): Pick<ErrorRecord, 'class' | 'library' | 'isOfAnotherClass'> {
  const { name, constructor: errorClass } = classOf(error);
  const isKnown = isOfKnownErrorClass(error) && !isNodeAbortError(name, errorClass);
  const library = errorClass && classes.libraries.get(errorClass);
  if (library !== undefined) return { class: name, library };
  const isOfAnother = classes.own.has(name) && !isKnown;
  return { class: name, ...(isOfAnother ? { isOfAnotherClass: true } : {}) };
}

/** The order in which the members show, unless that is how a record is read: standard ones, then fields. */
function unusualOrder(error: Error): readonly string[] | undefined {
  const keys = Object.keys(error).slice(0, ERROR_FIELDS_MAX);
  const standard = standardMembers(error);
  const first = [...standard, ...(ownsKnownClass(error) ? ['constructor'] : [])];
  const usual = [...first.filter((key) => keys.includes(key)), ...keys.filter((key) => !first.includes(key))];
  return keys.every((key, index) => key === usual[index]) ? undefined : keys;
}

/** Records an error. Never throws, whatever the error's getters do. */
export function errorToRecord(error: Error, pointer: string, codec: FieldCodec): ErrorRecord {
  return recordOf(error, { pointer, around: [], budget: { left: ERROR_RECORDS_MAX } }, codec);
}

function merged(members: ErrorRecord['fields'], odd: ErrorRecord['fields']): ErrorRecord['fields'] {
  return odd === undefined ? members : { ...odd, ...members };
}

function recordOf(error: Error, place: ErrorPlace, codec: FieldCodec): ErrorRecord {
  place.budget.left -= 1;
  // First, for it makes known what of the class is kept under symbols.
  const own = classRecord(error);
  const odd = oddMessage(error, place.pointer, codec);
  const fields = merged(ownFields(error, place.pointer, codec), odd.fields);
  const hidden = merged(hiddenFields(error, place.pointer, codec), odd.hidden);
  tellSymbols(error, place.pointer, codec);
  const standard = standardMembers(error);
  const enumerable = Object.keys(error).filter((key) => standard.includes(key));
  const stack = readSafely(error, 'stack');
  if (stack !== undefined && typeof stack !== 'string') codec.mark(`${place.pointer}/stack`, 'not-text');
  const marks = ownMarks(error);
  const symbols = ownSymbols(error, place.pointer, codec);
  const order = unusualOrder(error);
  return {
    ...own,
    name: String(readSafely(error, 'name') ?? 'Error'),
    message: String(readSafely(error, 'message') ?? ''),
    ...(typeof stack === 'string' ? { stack } : {}),
    ...(enumerable.length === 0 ? {} : { enumerable }),
    ...(fields === undefined ? {} : { fields }),
    ...(hidden === undefined ? {} : { hidden }),
    ...(ownsKnownClass(error) ? { ownsClass: true } : {}),
    ...(order === undefined ? {} : { order }),
    ...(marks.length === 0 ? {} : { marks }),
    ...(symbols === undefined ? {} : { symbols }),
    ...linksOf(error, place, codec),
  };
}

function define(target: object, key: string | symbol, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}

/** A class of that name; whose errors are called otherwise than `Error`, and do not say so themselves, have it from there. */
function unknownClass({ class: className, name, enumerable }: ErrorRecord): ErrorClass {
  const { [className]: Unknown = class extends Error {} } = { [className]: class extends Error {} };
  if (name !== 'Error' && enumerable?.includes('name') !== true) define(Unknown.prototype, 'name', name, false);
  return Unknown;
}

function classOfLibrary(name: string, library: string): ErrorClass | undefined {
  const key = `${library}/${name}`;
  if (!classes.ofLibraries.has(key)) classFinder()?.findErrorClass(name, undefined, library);
  return classes.ofLibraries.get(key);
}

/** Whether a recorded error of a library is made again as a plain error of its name, because its class is not there. */
export function lacksErrorClass({ class: name, library, isOfAnotherClass }: ErrorRecord): boolean {
  return library !== undefined && isOfAnotherClass !== true && classOfLibrary(name, library) === undefined;
}

/** The class, which somebody registered or the platform has, that it is made again as an instance of; undefined where there is none. */
export function errorClassOf({ class: name, library, isOfAnotherClass }: ErrorRecord): ErrorClass | undefined {
  if (isOfAnotherClass === true) return undefined;
  return (
    (library === undefined ? undefined : classOfLibrary(name, library)) ??
    classes.own.get(name) ??
    platformClasses.get(name)
  );
}

function instanceOf(record: ErrorRecord): Error {
  if (record.class === 'DOMException') return new DOMException(record.message, record.name);
  const target = errorClassOf(record) ?? unknownClass(record);
  // Reflect.construct gives a true error of the class without running the class's own constructor.
  const error = Reflect.construct(Error, [record.message], target as new () => Error) as Error;
  const enumerable = record.enumerable ?? [];
  if (error.name !== record.name || enumerable.includes('name'))
    define(error, 'name', record.name, enumerable.includes('name'));
  if (enumerable.includes('message')) define(error, 'message', record.message, true);
  return error;
}

function linkedFrom(linked: LinkedError, around: readonly Error[], codec: FieldCodec): unknown {
  if ('class' in linked) return makeAgain(linked, around, codec);
  return 'ancestor' in linked ? around.at(-linked.ancestor) : codec.decode(linked.value);
}

function moveLast(error: Error, key: string): void {
  const member = Object.getOwnPropertyDescriptor(error, key);
  if (member === undefined) return;
  Reflect.deleteProperty(error, key);
  Object.defineProperty(error, key, member);
}

/** Makes the recorded error again: its class where that is known, else a class of the same name. */
export function errorFromRecord(record: ErrorRecord, codec: FieldCodec): Error {
  return makeAgain(record, [], codec);
}

function decodedMembers(members: ErrorRecord['fields'], codec: FieldCodec): readonly [name: string, value: unknown][] {
  return Object.entries(members ?? {}).map(([name, tagged]) => [name, codec.decode(tagged)]);
}

function makeAgain(record: ErrorRecord, around: readonly Error[], codec: FieldCodec): Error {
  const error = instanceOf(record);
  // In the order in which they were encoded: what is shared stands where it was met first.
  const fields = decodedMembers(record.fields, codec);
  const hidden = decodedMembers(record.hidden, codec);
  const inside = [...around, error];
  const isEnumerable = (key: string): boolean => record.enumerable?.includes(key) ?? false;
  if (record.stack !== undefined) define(error, 'stack', record.stack, isEnumerable('stack'));
  for (const key of ['cause', 'error', 'suppressed'] as const) {
    const linked = record[key];
    if (linked !== undefined) define(error, key, linkedFrom(linked, inside, codec), isEnumerable(key));
  }
  const errors = record.errors?.map((item) => linkedFrom(item, inside, codec));
  if (errors !== undefined) define(error, 'errors', errors, isEnumerable('errors'));
  for (const name of record.marks ?? []) define(error, Symbol.for(name), true, true);
  for (const [name, value] of Object.entries(record.symbols ?? {})) {
    const symbol = symbolsOf(error.constructor).get(name);
    if (symbol !== undefined) define(error, symbol, codec.decode(value), true);
  }
  const ownClass = record.ownsClass === true ? errorClassOf(record) : undefined;
  if (ownClass !== undefined) define(error, 'constructor', ownClass, true);
  for (const [key, value] of fields) define(error, key, value, true);
  for (const [key, value] of hidden) define(error, key, value, false);
  for (const key of record.order ?? []) moveLast(error, key);
  return error;
}

/** The name a semconv `error.type` carries: a code of ours, or the class of the error. */
export function errorType(thrown: unknown): string {
  if (isReenactError(thrown)) return thrown.code;
  if (isError(thrown)) return thrown.constructor?.name ?? thrown.name;
  return typeof thrown;
}

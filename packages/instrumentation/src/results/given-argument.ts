import { isDeepStrictEqual, types } from 'node:util';
import { type EncodedValue, encodeValue, isKnownInstance, isPlainObject, payloadTree } from '@reenact/trace-model';
import { guarded } from '../host/report-failure.ts';

type Fields = Record<string, unknown>;

/** Of what is no part of this, a replay cannot change what an object holds. */
type Kind = 'list' | 'map' | 'set' | 'date' | 'bytes' | 'fields';

function kindOf(value: unknown): Kind | undefined {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return undefined;
  if (Array.isArray(value)) return 'list';
  if (types.isMap(value)) return 'map';
  if (types.isSet(value)) return 'set';
  if (types.isDate(value)) return 'date';
  if (ArrayBuffer.isView(value)) return 'bytes';
  // Of other classes nobody knows what else belongs to the members that show.
  return isPlainObject(value) || isKnownInstance(value) ? 'fields' : undefined;
}

/** Whether what was recorded can be written into an object; views do not grow. */
function fits(kind: Kind, target: unknown, recorded: unknown): boolean {
  if (kindOf(target) !== kind || kindOf(recorded) !== kind) return false;
  return kind !== 'bytes' || (target as ArrayBufferView).byteLength === (recorded as ArrayBufferView).byteLength;
}

/** Which of the parameters a value is, that very object; undefined where it is none. */
export function argumentGiven(parameters: readonly unknown[], value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const index = parameters.indexOf(value);
  return index === -1 ? undefined : index;
}

/** Whether a replay can write into an object what was recorded of it. */
export function canBeWritten(value: unknown): boolean {
  return kindOf(value) !== undefined;
}

/** Whether a parameter that a call gave as its result is something else than when the call began. */
export function isChangedParameter(input: EncodedValue, argument: number, value: unknown): boolean {
  const before = payloadTree(input.payload);
  if (!Array.isArray(before)) return false;
  const now = payloadTree(encodeValue(value).payload);
  return JSON.stringify(before[argument]) !== JSON.stringify(now);
}

/** Makes objects of the host hold what was recorded of them, and keeps those that it has references to. */
class Writing {
  /** The object of the host for each recorded one. */
  private readonly written = new Map<unknown, unknown>();
  private readonly taken = new Set<unknown>();

  /** What stands for `recorded` where the host had `current`. */
  private instead(current: unknown, recorded: unknown): unknown {
    if (typeof recorded !== 'object' || recorded === null) return recorded;
    const known = this.written.get(recorded);
    if (known !== undefined) return known;
    const kind = kindOf(recorded);
    // One object that has become two stays the first of them.
    if (kind === undefined || !fits(kind, current, recorded) || this.taken.has(current)) return recorded;
    this.write(kind, current as object, recorded);
    return current;
  }

  write(kind: Kind, target: object, recorded: object): void {
    this.written.set(recorded, target);
    this.taken.add(target);
    switch (kind) {
      case 'list':
        this.writeFields(target as unknown as Fields, recorded as unknown as Fields, target as unknown[]);
        break;
      case 'map':
        this.writeMap(target as Map<unknown, unknown>, recorded as ReadonlyMap<unknown, unknown>);
        break;
      case 'set':
        this.writeSet(target as Set<unknown>, recorded as ReadonlySet<unknown>);
        break;
      case 'date':
        (target as Date).setTime((recorded as Date).getTime());
        break;
      case 'bytes':
        writeBytes(target as ArrayBufferView, recorded as ArrayBufferView);
        break;
      case 'fields':
        this.writeFields(target as Fields, recorded as Fields);
        break;
    }
  }

  private writeFields(target: Fields, recorded: Fields, list?: unknown[]): void {
    const keys = Object.keys(recorded);
    const values = keys.map((key) => this.instead(Object.hasOwn(target, key) ? target[key] : undefined, recorded[key]));
    if (list !== undefined) list.length = (recorded as unknown as unknown[]).length;
    const before = Object.keys(target);
    const isInOrder = before.every((key, index) => key === keys[index]);
    // What is added last comes last: the order of members shows where they are written as text.
    if (!isInOrder) for (const key of before) delete target[key];
    for (const [index, key] of keys.entries()) writeField(target, key, values[index]);
  }

  private writeMap(target: Map<unknown, unknown>, recorded: ReadonlyMap<unknown, unknown>): void {
    const entries = Array.from(
      recorded,
      ([key, value]) => [this.instead(undefined, key), this.instead(target.get(key), value)] as const,
    );
    target.clear();
    for (const [key, value] of entries) target.set(key, value);
  }

  private writeSet(target: Set<unknown>, recorded: ReadonlySet<unknown>): void {
    const values = Array.from(recorded, (value) => this.instead(undefined, value));
    target.clear();
    for (const value of values) target.add(value);
  }
}

function writeField(target: Fields, key: string, value: unknown): void {
  if (!Object.hasOwn(target, key)) {
    Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true });
  } else if (!Object.is(target[key], value)) target[key] = value;
}

function writeBytes(target: ArrayBufferView, recorded: ArrayBufferView): void {
  const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
    new Uint8Array(buffer, byteOffset, byteLength);
  bytesOf(target).set(bytesOf(recorded));
}

/**
 * The parameter itself, made to hold what the call had recorded of it: a call that changed its parameter and gave it back did both, and
 * the host may go on with either. `recorded` as it is where the parameter is something else now, or cannot be written.
 */
export function writtenArgument(argument: unknown, recorded: unknown): unknown {
  const kind = kindOf(argument);
  if (kind === undefined || !fits(kind, argument, recorded))
    return isDeepStrictEqual(argument, recorded) ? argument : recorded;
  const isWritten = guarded(
    'writing a parameter',
    () => {
      if (!isDeepStrictEqual(argument, recorded)) new Writing().write(kind, argument as object, recorded as object);
      return true;
    },
    false,
  );
  return isWritten ? argument : recorded;
}

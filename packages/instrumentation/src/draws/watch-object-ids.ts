import { asOwnWork } from '../host/own-work.ts';
import { guarded } from '../host/report-failure.ts';
import { disguised } from '../patching/patch-set.ts';
import { objectIds } from './object-ids.ts';
import { recordValue } from './record-draw.ts';

/** The class of ids, as bson has it: five random bytes drawn once for a process, and a number that counts up. */
interface IdClass {
  /** From bson 7.3 on; before, nobody but the module can see them. */
  PROCESS_UNIQUE?: Uint8Array | null;
  getInc(): number;
  generate(...parameters: unknown[]): Uint8Array;
}

const UNIQUE_DIGITS = 10;
const INCREMENT_DIGITS = 6;
/** Where, in an id, the part begins that is not its time. */
const PART_OFFSET = 4;

function isIdClass(value: unknown): value is IdClass {
  if (typeof value !== 'function') return false;
  return ['getInc', 'generate'].every(
    (name) => Object.hasOwn(value, name) && typeof Reflect.get(value, name) === 'function',
  );
}

/** Ids are put together in several places, which all count by this function just before they read the process's bytes. */
function watchCount(IdClass: IdClass): void {
  const { getInc } = IdClass;
  let own: { readonly unique: Uint8Array | null } | undefined;
  const meet = (increment: number): number => {
    const served = objectIds.served();
    if (served !== undefined) {
      own ??= { unique: IdClass.PROCESS_UNIQUE ?? null };
      IdClass.PROCESS_UNIQUE = Buffer.from(served.slice(0, UNIQUE_DIGITS), 'hex');
      recordValue('ObjectId', served);
      return Number.parseInt(served.slice(UNIQUE_DIGITS), 16);
    }
    if (own !== undefined) IdClass.PROCESS_UNIQUE = own.unique;
    own = undefined;
    const { PROCESS_UNIQUE } = IdClass;
    if (PROCESS_UNIQUE) {
      const count = increment.toString(16).padStart(INCREMENT_DIGITS, '0');
      recordValue('ObjectId', Buffer.from(PROCESS_UNIQUE).toString('hex') + count);
    }
    return increment;
  };
  const watched = function getNext(this: unknown): number {
    const increment = Reflect.apply(getInc, this, []) as number;
    return guarded('drawing an id', () => meet(increment), increment);
  };
  IdClass.getInc = disguised(watched, getInc);
}

/** Before bson 7.3 every id is made by this function. */
function watchBytes(IdClass: IdClass): void {
  const { generate } = IdClass;
  const meet = (bytes: Uint8Array): void => {
    const served = objectIds.served();
    if (served !== undefined) bytes.set(Buffer.from(served, 'hex'), PART_OFFSET);
    recordValue('ObjectId', Buffer.from(bytes).subarray(PART_OFFSET).toString('hex'));
  };
  const watched = function generateNext(this: unknown, ...parameters: unknown[]): Uint8Array {
    const bytes = Reflect.apply(generate, this, parameters) as Uint8Array;
    guarded('drawing an id', () => meet(bytes), undefined);
    return bytes;
  };
  IdClass.generate = disguised(watched, generate);
}

/**
 * Has the five bytes drawn, which come with the first id: inside a run they would be among what the run draws. Nothing is lost with
 * them, for of every later id they are kept.
 */
function drawUnique(IdClass: IdClass): void {
  asOwnWork(() => IdClass.generate(0));
}

/**
 * Keeps, from now on, what the ids of a copy of bson have beside their time among the draws of the run around, and gives it again in a
 * replay. It is no secret: every id shows it. Does nothing for what is no such class, or for one that is watched. Never throws.
 */
export function watchObjectIds(IdClass: unknown): void {
  guarded(
    'watching ids',
    () => {
      if (!isIdClass(IdClass) || objectIds.watched.has(IdClass)) return;
      objectIds.watched.add(IdClass);
      drawUnique(IdClass);
      if (Object.hasOwn(IdClass, 'PROCESS_UNIQUE')) watchCount(IdClass);
      else watchBytes(IdClass);
    },
    undefined,
  );
}

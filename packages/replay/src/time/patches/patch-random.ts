import nodeCrypto from 'node:crypto';
import {
  asOwnWork,
  bytesWithin,
  cryptoOwners,
  disguised,
  isDriverId,
  isTracerId,
  isUuid,
  keptAlready,
  objectIds,
  type PatchSet,
  pristine,
  recordBytes,
  recordValue,
} from '@reenact/instrumentation';
import type { ActiveTimes } from '../active-times.ts';

type Callback = (error: Error | null, drawn: unknown) => void;

const bytesMax = 65_536;
const integerTypes = /^(Big)?(Int|Uint)(8|16|32|64)(Clamped)?Array$/;

/** What a view is at bottom: a `Buffer` is a `Uint8Array`. */
function kindOf(view: ArrayBufferView): string {
  return String(Reflect.get(view, Symbol.toStringTag));
}

/** A random number of the replay around this call; undefined where it is drawn for real. */
export function drawVirtualNumber(times: ActiveTimes): number | undefined {
  const here = times.here();
  const value = here?.time.random(here.position);
  if (value !== undefined) recordValue('Math.random', value);
  return value;
}

function patchNumbers(patches: PatchSet, times: ActiveTimes): void {
  patches.replace<() => number>(Math, 'random', (random) =>
    disguised(() => drawVirtualNumber(times) ?? random(), random),
  );
  patches.wrap(nodeCrypto, 'randomInt', ({ parameters, proceed }) => {
    const here = times.here();
    const last = parameters.at(-1);
    const callback = typeof last === 'function' ? (last as Callback) : undefined;
    const [first, second] = callback === undefined ? parameters : parameters.slice(0, -1);
    const [from, to] = second === undefined ? [0, first] : [first, second];
    const isValid = Number.isSafeInteger(from) && Number.isSafeInteger(to) && Number(from) < Number(to);
    const value = isValid ? here?.time.randomInteger(here.position, Number(from), Number(to)) : undefined;
    if (value === undefined) return proceed();
    recordValue('crypto.randomInt', value);
    if (callback === undefined) return value;
    later(callback, value);
    return undefined;
  });
}

function later(callback: Callback, drawn: unknown): void {
  pristine.setImmediate(() => callback(null, drawn));
}

/** Has the platform refuse what it refuses, a function taken off its `crypto` for one, before anything is served in its place. */
function checkedByPlatform(proceed: () => unknown): void {
  asOwnWork(proceed);
}

function patchIds(patches: PatchSet, times: ActiveTimes): void {
  for (const owner of cryptoOwners()) {
    patches.wrap(owner, 'randomUUID', ({ proceed }) => {
      const here = times.here();
      if (here === undefined) return proceed();
      checkedByPlatform(proceed);
      const value = here.time.randomUuid(here.position);
      if (value === undefined) return proceed();
      recordValue('crypto.randomUUID', value);
      return value;
    });
  }
}

function patchBytes(patches: PatchSet, times: ActiveTimes): void {
  const draw = (count: number): Uint8Array | undefined => {
    const here = times.here();
    if (here !== undefined && isTracerId(draw, count)) return undefined;
    const isId = (): boolean => isDriverId(draw, count);
    const bytes =
      here?.time.hasDriverIds() === true && isId()
        ? here.time.driverId(here.position, count, () => isUuid(draw, count))
        : here?.time.randomBytes(here.position, count);
    if (bytes !== undefined) recordBytes(isId)(bytes);
    return bytes;
  };
  for (const owner of cryptoOwners()) {
    patches.wrap(owner, 'getRandomValues', ({ parameters, proceed }) => {
      const [array] = parameters;
      const isTaken = ArrayBuffer.isView(array) && integerTypes.test(kindOf(array));
      if (!isTaken || array.byteLength > bytesMax || times.here() === undefined) return proceed();
      checkedByPlatform(proceed);
      return fill(array, draw(array.byteLength)) ?? proceed();
    });
  }
  patches.wrap(nodeCrypto, 'randomBytes', ({ parameters, proceed }) => {
    const [size, callback] = parameters;
    const isValid = Number.isSafeInteger(size) && Number(size) >= 0 && Number(size) <= 2 ** 31 - 1;
    const bytes = isValid ? draw(Number(size)) : undefined;
    if (bytes === undefined) return proceed();
    if (typeof callback !== 'function') return Buffer.from(bytes);
    const given = (error: Error | null): void => (callback as Callback)(error, Buffer.from(bytes));
    return proceed([size, keptAlready(given)]);
  });
  patchFills(patches, draw);
}

function fill(into: ArrayBufferView, bytes: Uint8Array | undefined): ArrayBufferView | undefined {
  if (bytes === undefined) return undefined;
  new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(bytes);
  return into;
}

/** `randomFill` and `randomFillSync`: the original checks what it is given, then what it filled is overwritten. */
function patchFills(patches: PatchSet, draw: (count: number) => Uint8Array | undefined): void {
  patches.wrap(nodeCrypto, 'randomFillSync', ({ parameters, proceed }) => {
    const part = bytesWithin(...(parameters as [unknown]));
    const bytes = part === undefined ? undefined : draw(part.byteLength);
    if (bytes === undefined) return proceed();
    const filled = asOwnWork(() => proceed());
    part?.set(bytes);
    return filled;
  });
  patches.wrap(nodeCrypto, 'randomFill', ({ parameters, proceed }) => {
    const callback = parameters.at(-1);
    const others = parameters.slice(0, -1);
    const part = typeof callback === 'function' ? bytesWithin(...(others as [unknown])) : undefined;
    const bytes = part === undefined ? undefined : draw(part.byteLength);
    if (bytes === undefined) return proceed();
    const overwrite: Callback = (error, filled) => {
      if (error === null || error === undefined) part?.set(bytes);
      (callback as Callback)(error, filled);
    };
    return proceed([...others, keptAlready(overwrite)]);
  });
}

/** Ids of MongoDB, which their classes put together of what they hold for the whole process. */
function patchObjectIds(patches: PatchSet, times: ActiveTimes): void {
  patches.replace<() => string | undefined>(objectIds, 'served', () => () => {
    const here = times.here();
    return here?.time.objectId(here.position);
  });
}

/** Makes random sources give what they gave when the run was recorded, and seeded values beyond. */
export function patchRandom(patches: PatchSet, times: ActiveTimes): void {
  patchNumbers(patches, times);
  patchIds(patches, times);
  patchBytes(patches, times);
  patchObjectIds(patches, times);
}

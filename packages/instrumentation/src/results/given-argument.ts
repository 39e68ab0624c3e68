import { type EncodedValue, encodeValue, payloadTree } from '@reenact/trace-model';
import { redactEncoded } from '../redaction/places/redact-crossing.ts';
import { contentSketch } from './content-sketch.ts';

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

interface GivenObject {
  readonly object: WeakRef<object>;
  sketch: number | undefined;
}

/**
 * Those parameters of a call that are objects: its result may turn out to be one of them, and it may write into them. Made before the call. What a
 * call that goes on was given is not kept alive by us.
 */
export class CallParameters {
  private readonly given: readonly (GivenObject | undefined)[];

  /** `areWatched`: whether `changed` will be asked for. */
  constructor(parameters: readonly unknown[], areWatched = false) {
    const give = (object: object): GivenObject => ({
      object: new WeakRef(object),
      sketch: areWatched ? contentSketch(object) : undefined,
    });
    this.given = parameters.some(isObject)
      ? parameters.map((parameter) => (isObject(parameter) ? give(parameter) : undefined))
      : [];
  }

  /** Which of them a value is, that very object; undefined where it is none. */
  positionOf(value: unknown): number | undefined {
    if (this.given.length === 0 || !isObject(value)) return undefined;
    const index = this.given.findIndex((one) => one?.object.deref() === value);
    return index === -1 ? undefined : index;
  }

  /** Positions of those that hold something else than when they were given, or when this was asked last. */
  changed(): number[] {
    return this.given.flatMap((one, position) => {
      const object = one?.object.deref();
      // Who has let go of it does not see what was written there.
      if (one?.sketch === undefined || object === undefined) return [];
      const now = contentSketch(object);
      if (now === one.sketch) return [];
      one.sketch = now;
      return [position];
    });
  }
}

/** Whether a parameter that a call gave as its result is, as far as it is recorded, what it was when the call began. */
export function isUnchangedParameter(input: EncodedValue, position: number, result: EncodedValue): boolean {
  const before = payloadTree(input.payload);
  if (!Array.isArray(before)) return false;
  return JSON.stringify(before[position]) === JSON.stringify(payloadTree(result.payload));
}

/** What the caller of a stub is given: its own parameter, where the call gave that back and it is now what it was then; else `served`. */
export function servedParameter(parameter: unknown, recorded: string | undefined, served: unknown): unknown {
  if (!isObject(parameter) || recorded === undefined) return served;
  return redactEncoded(encodeValue(parameter)).payload.data === recorded ? parameter : served;
}

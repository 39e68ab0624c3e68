import { type EncodedValue, encodeValue, payloadTree } from '@reenact/trace-model';
import { redactEncoded } from '../redaction/places/redact-crossing.ts';

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Which of the parameters of a call a value is, that very object; undefined where it is none. */
export function positionAmong(parameters: readonly unknown[], value: unknown): number | undefined {
  const index = isObject(value) ? parameters.indexOf(value) : -1;
  return index === -1 ? undefined : index;
}

/** Those parameters of a call that a result may turn out to be. What a call that goes on was given is not kept alive by us. */
export class CallParameters {
  private readonly objects: readonly (WeakRef<object> | undefined)[];

  constructor(parameters: readonly unknown[]) {
    this.objects = parameters.some(isObject)
      ? parameters.map((parameter) => (isObject(parameter) ? new WeakRef(parameter) : undefined))
      : [];
  }

  /** Which of them a value is, that very object; undefined where it is none. */
  positionOf(value: unknown): number | undefined {
    if (this.objects.length === 0 || !isObject(value)) return undefined;
    const index = this.objects.findIndex((object) => object?.deref() === value);
    return index === -1 ? undefined : index;
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

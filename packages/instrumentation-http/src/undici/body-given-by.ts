import { Readable } from 'node:stream';

/**
 * The body that a handler of undici's own gives to whoever sends by `request`: only there it shows who reads. Undefined of handlers of
 * others, and before there is an answer.
 */
export function bodyGivenBy(handler: object): Readable | undefined {
  const body: unknown = Reflect.get(handler, 'res');
  return body instanceof Readable ? body : undefined;
}

/** A handler in front of another one: of it, too, `bodyGivenBy` tells the body. */
export function inFrontOf<Made extends object>(made: Made, handler: object): Made {
  return Object.defineProperty(made, 'res', { get: (): unknown => Reflect.get(handler, 'res') });
}

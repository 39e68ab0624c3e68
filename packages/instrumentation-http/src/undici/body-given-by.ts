import { Readable } from 'node:stream';

/**
 * The body that a handler of undici's own gives to whoever sends by `request`: only there it shows who reads. Undefined of handlers of
 * others, and before there is an answer.
 */
export function bodyGivenBy(handler: object): Readable | undefined {
  const body = targetOf(handler);
  return body instanceof Readable ? body : undefined;
}

/** The same, or what whoever sends by `stream` has a body written to. */
export function targetOf(handler: object): unknown {
  return Reflect.get(handler, 'res');
}

/** A handler in front of another one: of it, too, `bodyGivenBy` tells the body. */
export function inFrontOf<Made extends object>(made: Made, handler: object): Made {
  return Object.defineProperty(made, 'res', { get: (): unknown => Reflect.get(handler, 'res') });
}

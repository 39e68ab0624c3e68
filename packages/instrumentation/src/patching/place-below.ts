const BELOW = Symbol.for('reenact.below.1');

/** The property a function of ours calls where it lets a call through. */
export interface PlaceBelow {
  readonly owner: object;
  readonly key: PropertyKey;
}

/**
 * Says where the original of a gated function is looked up at each call, so that a guard that is installed later can stand
 * below the gate: a call that is answered from a recording must not reach it.
 */
export function withPlaceBelow<Gated extends object>(gated: Gated, place: PlaceBelow): Gated {
  return Object.defineProperty(gated, BELOW, { value: place });
}

/** The place below a function, or undefined where the function is none of ours. */
export function placeBelow(gated: unknown): PlaceBelow | undefined {
  return typeof gated === 'function' ? (Reflect.get(gated, BELOW) as PlaceBelow | undefined) : undefined;
}

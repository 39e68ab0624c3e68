/** A constructor whose instances can be thrown again as themselves. */
export type ErrorClass = abstract new (...parameters: never[]) => Error;

/** One call on the way from the client to the object a method was called on: the method's name and its arguments. */
export type ClientStep = readonly [method: string, parameters: readonly unknown[]];

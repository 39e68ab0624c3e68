import type { ClientStep } from './client-step.ts';

/** One call that a replay answers with objects of the driver. */
export interface AnsweredCall {
  readonly method: string;
  readonly parameters: readonly unknown[];
  /** How the object was made from the client. */
  readonly steps: readonly ClientStep[];
  /**
   * A member of the object that the method was called on, or of what stands in for it in a replay, or of its class; undefined where there is
   * none. For what does nothing to the world: it is not called on a live object.
   */
  memberOf(key: string): unknown;
  /** What the application wrapped: a client, a class, or the module of the driver. */
  readonly holder: object;
}

import type { Context } from '@opentelemetry/api';
import type { ClientMethod, ReturnedObject } from './client-definition.ts';
import type { ClientGate } from './client-gate.ts';
import type { ClientStep } from './client-step.ts';

/** What a replay knows of an object that a recorded call gave. */
export interface ServedObject {
  readonly fields: Readonly<Record<string, unknown>>;
  /** It came by a promise or a callback. */
  readonly isAwaited: boolean;
}

/** What a method call needs of the client, or object made by it, that it is called on. */
export interface CalledObject {
  /** What the application holds in its place. */
  readonly proxy: object;
  readonly gate: ClientGate;
  /** How it was made from the client; empty for the client itself. */
  readonly steps: readonly ClientStep[];
  /** The object itself where there is one already. */
  readonly existing: object | undefined;
  /** Calls a method of the object itself. */
  call(key: PropertyKey, parameters: readonly unknown[]): unknown;
  /** Runs a method that is made of others, which it finds behind the gate. */
  compose(key: PropertyKey, method: ClientMethod, parameters: readonly unknown[]): unknown;
  /** A step or setting: called where there is an object, noted where a replay has none. */
  step(key: PropertyKey, method: ClientMethod, parameters: readonly unknown[], call: () => unknown): unknown;
  /** A member of the object, of what it reads members from, or of the class it answers `instanceof` with. Nothing is made for it. */
  memberOf(key: PropertyKey): unknown;
  /** The proxy in place of the object itself, where a method returned it. */
  handOn(result: unknown): unknown;
  /** An object that one of the methods gave; `served`: what a stand-in of it says, where a recorded call gave it. */
  child(
    shape: ReturnedObject,
    key: PropertyKey,
    parameters: readonly unknown[],
    real: object | undefined,
    served?: ServedObject,
  ): object;
  /** A replay answered a call of the object with this; `context`: that of its crossing. */
  answered(key: PropertyKey, parameters: readonly unknown[], served: unknown, context?: Context): void;
  /** Ends what live calls of a replay opened, where what ends it was answered from the recording. */
  closeLive(key: PropertyKey, parameters: readonly unknown[]): void;
}

import type { StreamTape } from '../../results/stream-tape.ts';
import type { AnsweredCall } from './answered-call.ts';

/**
 * How rows come one by one through an object of the driver: a cursor, a stream, an emitter. Iteration does not show all that
 * such an object does, so the driver's own object is given in a replay, too, and fed from the recorded chunks.
 */
export interface RowFeed {
  /** Whether the arguments ask for such an object; left out where only the result tells. */
  isAskedBy?(parameters: readonly unknown[]): boolean;
  /** The arguments as they are recorded, where they hold objects of the driver. */
  input?(parameters: readonly unknown[]): readonly unknown[];
  /** Such an object that gives nothing, for a replayed call whose rows come to a callback: the driver gives it beside that. */
  idle?(call: AnsweredCall): unknown;
  /** Whether a call gave such an object. */
  isFed(result: unknown): boolean;
  /** Sees to it that the tape is told of all that comes through the object, and that nothing else about it changes. */
  watch(result: object, tape: StreamTape): void;
  /** The object a replay gives, fed from the recorded chunks. Throws a ReenactError where there is no such object. */
  serve(chunks: AsyncIterator<unknown>, call: AnsweredCall): unknown;
}

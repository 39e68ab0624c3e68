import { isReenactError } from '@reenact/trace-model';
import { serveStub } from '../../calls/serve-stub.ts';
import type { OpenCrossing } from '../../gate/gate.ts';
import { guarded } from '../../host/report-failure.ts';
import type { StubAdmission } from '../../results/served-value.ts';
import { StreamTape } from '../../results/stream-tape.ts';
import { answeredCall, type MethodCall } from './method-call.ts';
import type { RowFeed } from './row-feed.ts';

/** Rows come when they come and may be given up: the shape in which a crossing tells all of that. */
const SHAPE = 'async-iterator';

/** Watches what a call gave, where rows come through it. False where they do not. */
export function watchFed(crossing: OpenCrossing, { method: { feed } }: MethodCall, result: unknown): boolean {
  if (feed === undefined || !guarded('looking at a result', () => feed.isFed(result), false)) return false;
  crossing.answersAs(SHAPE);
  const isWatched = guarded(
    'watching rows',
    () => {
      feed.watch(result as object, new StreamTape(crossing));
      return true;
    },
    false,
  );
  if (!isWatched) crossing.abandon();
  return true;
}

/** Whether a replay answers a call by an object that is fed from recorded chunks. Throws where only one of both runs did. */
export function isServedFed(admission: StubAdmission, feed: RowFeed, call: MethodCall): boolean {
  const { call: shape, path } = admission.recorded;
  if (shape !== SHAPE && feed.isAskedBy?.(call.parameters) === true) {
    throw admission.exhausted(`${path} was recorded with its rows as one list, and is now asked for them one by one.`);
  }
  return shape === SHAPE;
}

/** Gives the driver's object, fed from the recorded chunks. Where there is none, that is in the report before it is thrown. */
export function serveFed(admission: StubAdmission, feed: RowFeed, call: MethodCall): unknown {
  const chunks = serveStub(admission) as AsyncIterator<unknown>;
  try {
    return feed.serve(chunks, answeredCall(call));
  } catch (error) {
    if (!isReenactError(error)) throw error;
    throw admission.exhausted(`${error.message} ${error.next ?? ''}`.trim());
  }
}

import type { Outcome } from '@reenact/trace-model';
import { guarded } from '../host/report-failure.ts';
import { chunkAsServed, type StubAdmission, servedChunk, servedValue } from './served-value.ts';

type StreamOutcome = Extract<Outcome, { chunks: unknown }>;

function* play(admission: StubAdmission, outcome: StreamOutcome): Generator<unknown, unknown, unknown> {
  const { crossing, recorded } = admission;
  const served: ReturnType<typeof chunkAsServed>[] = [];
  let isWhole = false;
  try {
    for (const chunk of outcome.chunks) {
      const value = servedChunk(admission, chunk);
      served.push(chunkAsServed(admission, chunk));
      yield value;
    }
    isWhole = true;
  } finally {
    if (!isWhole) crossing.settle({ type: 'aborted', chunks: served });
  }
  guarded('releasing a stub', () => void admission.release.settle().catch(() => undefined), undefined);
  switch (outcome.type) {
    case 'ended': {
      const value = outcome.value === undefined ? undefined : servedValue(admission, outcome.value, 'The return value');
      crossing.settle({ type: 'ended', chunks: served, value });
      return value;
    }
    case 'failed': {
      const error = servedValue(admission, outcome.error, 'The error');
      crossing.settle({ type: 'failed', chunks: served, error });
      throw error;
    }
    case 'aborted': {
      // A synchronous read cannot be left waiting as an asynchronous one is.
      const error = admission.exhausted(`${recorded.path} was read further than when it was recorded.`);
      crossing.settle({ type: 'failed', chunks: served, error });
      throw error;
    }
  }
}

/** Yields the recorded chunks of a synchronous iterator, each made afresh, and ends as it ended. */
export function servedIterator(admission: StubAdmission, outcome: StreamOutcome): Generator<unknown, unknown, unknown> {
  return play(admission, outcome);
}

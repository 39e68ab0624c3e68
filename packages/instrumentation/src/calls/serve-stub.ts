import type { Outcome } from '@reenact/trace-model';
import type { Release } from '../gate/player.ts';
import { guarded } from '../host/report-failure.ts';
import { givenStreamView } from '../results/given-stream.ts';
import { servedAsyncIterator } from '../results/served-async-iterator.ts';
import { servedIterator } from '../results/served-iterator.ts';
import { type StubAdmission, servedValue } from '../results/served-value.ts';
import { gaveResponse, servedResponse } from './given-response.ts';

type StreamOutcome = Extract<Outcome, { chunks: unknown }>;

/** A completion that nothing ever brings: the recorded call had not ended when its process stopped. */
function never<Value>(): Promise<Value> {
  return new Promise(() => {});
}

/** Throws the recorded error or gives the recorded value, and settles with it. */
function complete(admission: StubAdmission): unknown {
  const { crossing, recorded } = admission;
  const { outcome } = recorded;
  if (outcome.type === 'returned') {
    const value = servedValue(admission, outcome.value, 'The result');
    crossing.settle({ type: 'returned', value });
    return value;
  }
  if (outcome.type === 'threw') {
    const error = servedValue(admission, outcome.error, 'The error');
    crossing.settle({ type: 'threw', error });
    throw error;
  }
  throw admission.exhausted(`${recorded.path} has no result to serve: its outcome is "${outcome.type}".`);
}

/** Makes of what was served what the caller is given. */
type Made = (served: unknown) => unknown;

const asItIs: Made = (served) => served;

function serveNow(admission: StubAdmission, made: Made): unknown {
  // The order of completions is told, but a synchronous call cannot wait for its turn.
  guarded('releasing a stub', () => void admission.release.settle().catch(() => undefined), undefined);
  return made(complete(admission));
}

/** Resolves when the promise of a stream gave it; where that is not recorded, when its first chunk came. */
function streamDue({ recorded, release }: StubAdmission, { chunks }: StreamOutcome): Promise<number | undefined> {
  const { streamGiven } = recorded;
  if (streamGiven === undefined) return release.at(chunks[0]?.offsetUs ?? 0);
  return release.at(streamGiven.offsetUs, streamGiven.microtasks);
}

function describeGiven({ crossing, recorded }: StubAdmission, microtasks: number | undefined): void {
  if (recorded.streamGiven === undefined) return;
  crossing.describe(givenStreamView({ offsetUs: crossing.elapsedUs(), microtasks }));
}

async function serveLater(admission: StubAdmission, made: Made): Promise<unknown> {
  const { outcome } = admission.recorded;
  if (gaveResponse(admission.recorded)) return made(await servedResponse(admission));
  switch (outcome.type) {
    case 'returned':
    case 'threw':
      admission.crossing.settlesAfter(await admission.release.settle());
      return made(complete(admission));
    case 'pending':
    case 'ended':
    case 'failed':
    case 'aborted': {
      if (outcome.type === 'pending' && outcome.chunks === undefined) return never();
      const stream = streamOf(admission);
      describeGiven(admission, await streamDue(admission, stream));
      return made(servedAsyncIterator(admission, stream));
    }
  }
}

function streamOf(admission: StubAdmission): StreamOutcome {
  const { outcome, path } = admission.recorded;
  switch (outcome.type) {
    case 'ended':
    case 'failed':
    case 'aborted':
      return outcome;
    case 'pending':
      return { type: 'aborted', chunks: outcome.chunks ?? [] };
    case 'returned':
    case 'threw':
      throw admission.exhausted(`${path} was recorded as a stream but holds no chunks.`);
  }
}

/** Of what is read again nothing was watched: no promise of ours lay between it and its reader, who heard of it a round of reactions sooner. */
function readAgain(admission: StubAdmission): StubAdmission {
  const { release } = admission;
  const at: Release['at'] = (offsetUs, microtasks) =>
    release.at(offsetUs, microtasks === undefined ? undefined : Math.max(microtasks - 1, 0));
  return {
    ...admission,
    release: { at, settle: () => at(Number.MAX_SAFE_INTEGER, admission.recorded.settledMicrotasks) },
  };
}

function serveAgainAndAgain(admission: StubAdmission, isAsync: boolean): object {
  const stream = streamOf(admission);
  let reading = admission;
  const next = (): StubAdmission => {
    const now = reading;
    reading = readAgain(admission);
    return now;
  };
  return isAsync
    ? { [Symbol.asyncIterator]: () => servedAsyncIterator(next(), stream) }
    : { [Symbol.iterator]: () => servedIterator(next(), stream) };
}

function serve(admission: StubAdmission, made: Made): unknown {
  const { call, capture, path } = admission.recorded;
  if (capture !== 'full') {
    throw admission.exhausted(`${path} was recorded with capture level "${capture}", so there is nothing to serve.`);
  }
  switch (call) {
    case 'sync':
      return serveNow(admission, made);
    case 'promise':
    case 'exchange':
      return serveLater(admission, made);
    case 'iterator':
      return made(servedIterator(admission, streamOf(admission)));
    case 'iterable':
      return made(serveAgainAndAgain(admission, false));
    case 'async-iterator':
      return made(servedAsyncIterator(admission, streamOf(admission)));
    case 'async-iterable':
      return made(serveAgainAndAgain(admission, true));
  }
}

/**
 * Answers a call from its recorded crossing, in the shape in which it answered then: the same value made afresh, the same
 * error thrown at the same place, the same chunks. The boundary's code does not run. Throws what was recorded, and a
 * ReenactError where the recording does not hold what is asked for. `made`: what is given to the caller in the place of what was recorded.
 */
export function serveStub(admission: StubAdmission, made: Made = asItIs): unknown {
  try {
    return serve(admission, made);
  } catch (error) {
    // The first settle counts: this one is for stubs that could not be served at all.
    admission.crossing.settle({ type: 'threw', error });
    throw error;
  }
}

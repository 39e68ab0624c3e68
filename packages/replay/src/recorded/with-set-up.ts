import type { Crossing, Recording, SetUp } from '@reenact/trace-model';
import { setUpOf } from '@reenact/trace-model/reading';

const known = new WeakMap<Recording, Map<SetUp, Recording>>();

function joined(recording: Recording, { crossings, beside, afterwards }: SetUp): Recording {
  const bySpanId = new Map(recording.bySpanId);
  const outside = [...crossings, ...beside, ...afterwards];
  for (const crossing of outside) bySpanId.set(crossing.spanId, crossing);
  return { ...recording, crossings: [...recording.crossings, ...outside], bySpanId };
}

/**
 * A recording in which the set-up of a run is found by its span ids, too. Below the run nothing is added: a set-up stands beside it.
 * `spanId`: the run, or a crossing of it. The same object for the same run.
 */
export function withSetUp(recording: Recording, spanId: string): Recording {
  const setUp = setUpOf(recording, spanId);
  if (setUp === undefined) return recording;
  const ofRecording = known.get(recording) ?? new Map<SetUp, Recording>();
  known.set(recording, ofRecording);
  const found = ofRecording.get(setUp) ?? joined(recording, setUp);
  ofRecording.set(setUp, found);
  return found;
}

/** The crossings of set-ups that selectors name beside those of a run: that run's, or those of all where none is named. */
export function setUpCrossings(recording: Recording, spanId: string | undefined): readonly Crossing[] {
  const setUps = spanId === undefined ? [...recording.setUps.values()] : [setUpOf(recording, spanId)];
  const crossings = setUps.flatMap((setUp) =>
    setUp === undefined
      ? []
      : [...setUp.crossings, ...setUp.beside, ...setUp.afterwards].filter(({ spanId: own }) => own !== setUp.spanId),
  );
  return [...new Map(crossings.map((crossing) => [crossing.spanId, crossing])).values()];
}

import type { CrossingScope } from '../run/crossing-scope.ts';
import { drawRecording } from '../run/draw-recording.ts';
import { type CarriedDraws, lateTapes } from '../run/late-draws.ts';

/** What says of a crossing what its code drew, and what it carries of others. */
export interface DrawsOfCrossing {
  readonly scope: CrossingScope;
  readonly parentCrossing: string | undefined;
  readonly carried: CarriedDraws | undefined;
}

/** The run of the process holds what no other call carries of all that has ended beside it. */
function carriedBy({ scope, carried }: DrawsOfCrossing): CarriedDraws | undefined {
  return scope.draws !== undefined && scope.draws === drawRecording.processTape ? lateTapes.left() : carried;
}

/** The JSON of `reenact.draws`. The root says by a record, empty where there were none, that draws were kept. */
export function drawsOf(crossing: DrawsOfCrossing): string | undefined {
  const { scope, parentCrossing } = crossing;
  const late = carriedBy(crossing)?.late;
  const isRoot = parentCrossing === undefined && drawRecording.installations > 0;
  const others = {
    ...(late !== undefined && { late }),
    ...(isRoot && drawRecording.hasLeftOutSpans && { besideSpans: true }),
  };
  if (scope.draws?.isEmpty === false) return scope.draws.text(others);
  return isRoot || late !== undefined ? JSON.stringify(others) : undefined;
}

/** Marks for what was drawn and not kept. */
export function lostDrawsOf(crossing: DrawsOfCrossing): readonly string[] {
  return [...(crossing.scope.draws?.marks() ?? []), ...(carriedBy(crossing)?.marks ?? [])];
}

import type { BoundaryDefinition } from '../gate/boundary-definition.ts';
import type { CarriedDraws } from '../run/carried-draws.ts';
import type { CrossingScope } from '../run/crossing-scope.ts';
import { drawRecording } from '../run/draw-recording.ts';
import { lateTapes } from '../run/late-draws.ts';
import { lateEventsAtEnd } from '../run/late-events.ts';

/** What says of a crossing what its code drew, and what it carries of others. */
export interface DrawsOfCrossing {
  readonly boundary: BoundaryDefinition;
  readonly scope: CrossingScope;
  readonly parentCrossing: string | undefined;
  readonly carried: CarriedDraws | undefined;
}

/** What was carried as its crossing began, and then what it carries as it ends, of which no loss is told: it may decide nothing. */
function joined(first: CarriedDraws | undefined, then: CarriedDraws | undefined): CarriedDraws | undefined {
  if (then?.late === undefined) return first;
  const late = { ...first?.late };
  for (const [spanId, drawn] of Object.entries(then.late)) late[spanId] = [...(late[spanId] ?? []), ...drawn];
  return { late, marks: first?.marks ?? [] };
}

/**
 * The run of the process holds what no other call carries of all that has ended beside it. Any other root holds what is left of its own run as it
 * ends: its outcome may be made of it.
 */
function carriedBy({ boundary, scope, parentCrossing, carried }: DrawsOfCrossing): CarriedDraws | undefined {
  if (scope.draws !== undefined && scope.draws === drawRecording.processTape) return lateTapes.left();
  if (parentCrossing !== undefined || scope.hasEnded !== true || boundary.capture !== 'full') return carried;
  scope.carriedAtEnd ??= joined(carried, lateTapes.take(scope.run));
  return scope.carriedAtEnd;
}

/** The JSON of `reenact.draws`. The root says by a record, empty where there were none, that draws were kept. */
export function drawsOf(crossing: DrawsOfCrossing): string | undefined {
  const { scope, parentCrossing } = crossing;
  const late = carriedBy(crossing)?.late;
  const isRoot = parentCrossing === undefined && drawRecording.installations > 0;
  const lateEvents = isRoot && scope.hasEnded === true ? lateEventsAtEnd(scope) : undefined;
  const others = {
    ...(late !== undefined && { late }),
    ...(lateEvents !== undefined && { lateEvents }),
    ...(isRoot && drawRecording.hasLeftOutSpans && { besideSpans: true }),
  };
  if (scope.draws?.isEmpty === false) return scope.draws.text(others);
  return isRoot || late !== undefined ? JSON.stringify(others) : undefined;
}

/** Marks for what was drawn and not kept. */
export function lostDrawsOf(crossing: DrawsOfCrossing): readonly string[] {
  return [...(crossing.scope.draws?.marks() ?? []), ...(carriedBy(crossing)?.marks ?? [])];
}

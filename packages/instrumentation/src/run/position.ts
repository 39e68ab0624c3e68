import { type Context, createContextKey } from '@opentelemetry/api';
import type { Position } from '../gate/player.ts';

/** Under which a context holds its position in a recording. */
export const POSITION_KEY = createContextKey('reenact.position.1');

/** A context in which crossings are looked up at this position of a recording. */
export function withPosition(context: Context, position: Position): Context {
  return context.setValue(POSITION_KEY, position);
}

/** Where in a recording this context stands; undefined outside every replay. */
export function positionOf(context: Context): Position | undefined {
  return context.getValue(POSITION_KEY) as Position | undefined;
}

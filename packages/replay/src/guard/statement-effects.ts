import { type NativeEffect, statementPlaces } from '@reenact/instrumentation';
import { offPair } from '@reenact/trace-model';
import type { AttemptedEffect } from './attempted-effect.ts';
import { nativeEffect } from './native-effect.ts';

const targetLengthMax = 80;

function effectOf(name: string, text: string, place: NativeEffect): AttemptedEffect | undefined {
  if (place.type !== 'file' || place.location !== undefined) return nativeEffect(name, place);
  return { type: 'file', name, paths: [undefined], target: text.slice(0, offPair(text, targetLengthMax)) };
}

/** What an SQL statement of a database in this process opens or writes beside that database. */
export function statementEffects(name: string, text: unknown): readonly AttemptedEffect[] {
  if (typeof text !== 'string') return [];
  return statementPlaces(text).flatMap((place) => effectOf(name, text, place) ?? []);
}

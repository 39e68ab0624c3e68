import { tmpdir } from 'node:os';
import { resolve, sep } from 'node:path';
import { guarded } from '../host/report-failure.ts';
import type { PatchSet } from '../patching/patch-set.ts';
import { duringLoad } from './during-load.ts';
import type { NativeEffect } from './native-library.ts';
import { recordConnection } from './record-connection.ts';
import { reportModelCall } from './report-model-call.ts';
import { statementPlaces } from './statement-places.ts';
import { listenToAddOns, type NativeCall, watchLoadedAddOn } from './watched-add-on.ts';

/** As it is named in a mark, without what an address may hold of secrets. */
function placeOf(effect: NativeEffect | undefined): string {
  switch (effect?.type) {
    case undefined:
      return 'database';
    case 'program':
      return `program ${effect.program}`;
    case 'address':
      return (URL.canParse(effect.address) && new URL(effect.address).host) || 'database';
    case 'file':
      return effect.location === undefined ? 'database' : `database ${String(effect.location)}`;
    case 'write':
      return `file ${effect.path}`;
    case 'model':
      return `model of ${effect.call}`;
  }
}

/** What is written among temporary files a replay writes, too. */
function isScratch(effect: NativeEffect): boolean {
  return effect.type === 'write' && resolve(effect.path).startsWith(resolve(tmpdir()) + sep);
}

/** What a call comes to outside of the process; undefined where nobody knows what was opened. */
function effectsOf({ effects, statement }: NativeCall): readonly NativeEffect[] | undefined {
  // What is in memory may still write elsewhere.
  return effects?.length === 0 && statement !== undefined ? statementPlaces(statement) : effects;
}

function record(call: NativeCall): undefined {
  const { library, effects, statement } = call;
  if (effects?.every(isScratch) === true && statement === undefined) return;
  // What is said of a use depends on nothing but what is open.
  const source = effects?.length === 0 ? undefined : effects;
  recordConnection(() => {
    const found = effectsOf(call);
    return found?.length === 0 ? undefined : { place: placeOf(found?.[0]), package: library.name };
  }, source);
  if (effects?.[0]?.type === 'model') reportModelCall(() => library.name);
}

/**
 * Notes what agents open by native add-ons, and that they use it: none of it is recorded, and the guard of a replay refuses the opening.
 * Of a library that is loaded already nothing is seen. Gives how to stop.
 */
export function watchAddOns(patches: PatchSet): () => void {
  patches.wrap(process, 'dlopen', ({ parameters, proceed }) =>
    duringLoad(() => {
      const result = proceed();
      guarded('watching a native add-on', () => watchLoadedAddOn(parameters[0] as { exports: unknown }), undefined);
      return result;
    }),
  );
  return listenToAddOns(record);
}

import { guarded } from '../host/report-failure.ts';
import type { PatchSet } from '../patching/patch-set.ts';
import { duringLoad } from './during-load.ts';
import type { NativeEffect } from './native-library.ts';
import { recordConnection } from './record-connection.ts';
import { reportModelCall } from './report-model-call.ts';
import { listenToAddOns, type NativeCall, watchAddOn } from './watched-add-on.ts';

/** As it is named in a mark, without what an address may hold of secrets. */
function placeOf(effect: NativeEffect | undefined): string {
  switch (effect?.type) {
    case undefined:
      return 'database';
    case 'program':
      return `program ${effect.program}`;
    case 'address':
      return URL.canParse(effect.address) ? new URL(effect.address).host : 'database';
    case 'file':
      return `database ${String(effect.location)}`;
    case 'model':
      return `model of ${effect.call}`;
  }
}

function record({ library, effects }: NativeCall): undefined {
  if (effects?.length === 0) return;
  recordConnection(() => ({ place: placeOf(effects?.[0]), package: library.name }));
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
      guarded(
        'watching a native add-on',
        () => watchAddOn((parameters[0] as { readonly exports?: unknown }).exports),
        undefined,
      );
      return result;
    }),
  );
  return listenToAddOns(record);
}

import { tmpdir } from 'node:os';
import { type AnyFunction, disguised, type PatchSet } from '../../patching/patch-set.ts';
import { changingCode } from '../unseen/connecting-code.ts';
import { FILE_PLACE } from '../unseen/connection-list.ts';
import { recordFileChange } from '../unseen/record-connection.ts';
import { dumpFunctions } from './dump-functions.ts';
import { realPath } from './real-path.ts';
import { isScratchFile } from './scratch-files.ts';

/** Notes where agents have the platform write a file about the process, as the guard of a replay judges it: it refuses that. */
export function watchDumps(patches: PatchSet): void {
  const temporary = realPath(tmpdir());
  for (const { owner, key, effectOf } of dumpFunctions()) {
    patches.replace<AnyFunction>(owner, key, (original) => {
      const dumping: AnyFunction = function (this: unknown, ...parameters) {
        const placeOf = (): string | undefined => {
          const { paths, target } = effectOf(parameters);
          const isScratch = paths.every((path) => path !== undefined && isScratchFile(path, temporary));
          return isScratch ? undefined : `${FILE_PLACE}${target}`;
        };
        recordFileChange(placeOf, (place) => {
          const code = changingCode(dumping);
          return code === undefined ? undefined : { place, package: code.package };
        });
        return Reflect.apply(original, this, parameters);
      };
      return disguised(dumping, original);
    });
  }
}

import type { PatchSet } from '../patching/patch-set.ts';
import type { WorkOf } from './outside-work.ts';
import { patchCompressors } from './patch-compressors.ts';
import { patchCryptography } from './patch-cryptography.ts';
import { patchFileWork } from './patch-file-work.ts';

/**
 * Has `workOf` decide about work outside JavaScript that code begins: of compressors, which also what the web and `node:zlib` make of them go through, of
 * `node:fs`, and of `node:crypto` and its web half. Functions that are made of others there are left out: what they are made of is asked about.
 */
export function patchOutsideWork(patches: PatchSet, workOf: WorkOf): void {
  patchCompressors(patches, workOf);
  patchFileWork(patches, workOf);
  patchCryptography(patches, workOf);
}

import { memberOf } from './native-effects.ts';
import type { NativeEffect, NativeLibrary, NativeOpening } from './native-library.ts';

function written(path: unknown): readonly NativeEffect[] {
  return typeof path === 'string' && path !== '' ? [{ type: 'write', path }] : [];
}

function writing(member: string, name: string, fails: 'throw' | 'reject'): NativeOpening {
  return { member, name, fails, effectsOf: ([path]) => written(path) };
}

const sharp: NativeLibrary = {
  name: 'sharp',
  exports: ['pipeline', 'metadata', 'stats', 'libvipsVersion'],
  openings: [
    {
      member: 'pipeline',
      name: 'sharp.toFile',
      fails: 'callback',
      effectsOf: ([options]) => written(memberOf(options, 'fileOut')),
    },
  ],
  uses: [],
};

const hnswlib: NativeLibrary = {
  name: 'hnswlib-node',
  exports: ['L2Space', 'InnerProductSpace', 'BruteforceSearch', 'HierarchicalNSW'],
  openings: ['HierarchicalNSW', 'BruteforceSearch'].flatMap((name) => [
    writing(`${name}#writeIndex`, `hnswlib.${name}.writeIndex`, 'reject'),
    writing(`${name}#writeIndexSync`, `hnswlib.${name}.writeIndexSync`, 'throw'),
  ]),
  uses: [],
};

const usearch: NativeLibrary = {
  name: 'usearch',
  exports: ['CompiledIndex', 'exactSearch', 'hardwareAccelerationAvailable'],
  openings: [writing('CompiledIndex#save', 'usearch.Index.save', 'throw')],
  uses: [],
};

/** Add-ons that compute, and write files where they are told to: each was tried with its release of November 2026. */
export const FILE_ADD_ONS: readonly NativeLibrary[] = [hnswlib, sharp, usearch];

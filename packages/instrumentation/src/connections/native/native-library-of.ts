import { DATABASE_ADD_ONS } from './database-add-ons.ts';
import { FILE_ADD_ONS } from './file-add-ons.ts';
import { memberOf, uses } from './native-effects.ts';
import type { NativeLibrary, NativeOpening } from './native-library.ts';

const nodePty: NativeLibrary = {
  name: 'node-pty',
  exports: ['fork', 'open', 'resize', 'process'],
  openings: [
    {
      member: 'fork',
      name: 'pty.spawn',
      fails: 'throw',
      effectsOf: ([program]) => [{ type: 'program', program: String(program) }],
    },
  ],
  uses: [],
};

const temporal: NativeLibrary = {
  name: '@temporalio/core-bridge',
  exports: ['newClient', 'newWorker', 'newEphemeralServer', 'workerPollActivityTask'],
  openings: [
    {
      member: 'newClient',
      name: 'temporal.connect',
      fails: 'reject',
      effectsOf: ([, options]) => [{ type: 'address', address: String(memberOf(options, 'targetUrl')) }],
    },
    {
      member: 'newEphemeralServer',
      name: 'temporal.testServer',
      fails: 'reject',
      effectsOf: () => [{ type: 'program', program: 'temporal' }],
    },
  ],
  uses: uses('clientSendWorkflowServiceRequest'),
};

function modelCall(member: string, fails: 'throw' | 'reject'): NativeOpening {
  return {
    member: `BamlRuntime#${member}`,
    name: `baml.${member}`,
    fails,
    effectsOf: ([name]) => [{ type: 'model', call: String(name) }],
  };
}

const baml: NativeLibrary = {
  name: '@boundaryml/baml',
  exports: ['BamlRuntime', 'FunctionResultStream', 'RuntimeContextManager'],
  openings: [
    modelCall('callFunction', 'reject'),
    modelCall('callFunctionSync', 'throw'),
    modelCall('streamFunction', 'throw'),
    modelCall('streamFunctionSync', 'throw'),
  ],
  uses: [],
};

/**
 * The libraries that are known: each was tried with its release of November 2026. `zeromq` is none of them, for its
 * add-on holds fast what would have to be replaced.
 */
const LIBRARIES: readonly NativeLibrary[] = [...DATABASE_ADD_ONS, ...FILE_ADD_ONS, baml, nodePty, temporal];

/** The library that what an add-on exports belongs to; undefined where none is known. */
export function nativeLibraryOf(exports: unknown): NativeLibrary | undefined {
  if (typeof exports !== 'object' || exports === null) return undefined;
  return LIBRARIES.find((library) => library.exports.every((key) => Object.hasOwn(exports, key)));
}

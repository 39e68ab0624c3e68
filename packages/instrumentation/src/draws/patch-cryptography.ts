import nodeCrypto from 'node:crypto';
import type { PatchSet } from '../patching/patch-set.ts';
import { subtleOwner } from './crypto-owners.ts';
import type { WorkOf } from './outside-work.ts';
import { workWithCallback } from './work-with-callback.ts';
import { workWithPromise } from './work-with-promise.ts';

/** Those that go to the thread pool where they are given a callback. `randomInt` does now and then only. */
const withCallback = [
  'argon2',
  'checkPrime',
  'decapsulate',
  'diffieHellman',
  'encapsulate',
  'generateKey',
  'generateKeyPair',
  'generatePrime',
  'hkdf',
  'pbkdf2',
  'randomBytes',
  'randomFill',
  'scrypt',
  'sign',
  'verify',
];

/** The asynchronous functions of `node:crypto`, and all of the web's. */
export function patchCryptography(patches: PatchSet, workOf: WorkOf): void {
  for (const key of withCallback) patches.wrap(nodeCrypto, key, workWithCallback(`crypto.${key}`, workOf));
  const subtle = subtleOwner();
  for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(subtle))) {
    if (typeof value !== 'function' || key === 'constructor' || key === 'supports') continue;
    patches.wrap(subtle, key, workWithPromise(`subtle.${key}`, workOf));
  }
}

import nodeCrypto, { constants, createPrivateKey, KeyObject, type PrivateKeyInput } from 'node:crypto';
import { asOwnWork } from '../host/own-work.ts';
import { guarded } from '../host/report-failure.ts';
import type { PatchSet } from '../patching/patch-set.ts';
import { subtleOwner } from './crypto-owners.ts';
import { recordKeys } from './record-draw.ts';

/** They draw what they give, whatever they are given. */
const drawing = [
  'encapsulate',
  'generateKey',
  'generateKeyPair',
  'generateKeyPairSync',
  'generateKeySync',
  'generatePrime',
  'generatePrimeSync',
  'publicEncrypt',
];

/** The signature of a text by one of these is the same each time. */
const sameEachTime: ReadonlySet<string | undefined> = new Set(['rsa', 'ed25519', 'ed448']);

/** Of what the web signs and encrypts with, that which draws. */
const drawingAlgorithms = /^(?:ECDSA|RSA-PSS|RSA-OAEP|ML-DSA.*)$/i;

function keyOf(given: unknown): KeyObject {
  const inner: unknown = given instanceof KeyObject ? given : (given as { readonly key?: unknown } | null)?.key;
  return inner instanceof KeyObject ? inner : asOwnWork(() => createPrivateKey(given as PrivateKeyInput));
}

/** Whether a signature by this key, with what stands beside it, is another each time. Throws where it is no key. */
function signsOtherwise(given: unknown): boolean {
  const { padding } = (given ?? {}) as { readonly padding?: unknown };
  return padding === constants.RSA_PKCS1_PSS_PADDING || !sameEachTime.has(keyOf(given).asymmetricKeyType);
}

function algorithmOf(given: unknown): string {
  return String(typeof given === 'object' && given !== null ? Reflect.get(given, 'name') : given);
}

/** Has the run around each call of a function told that it draws, where `isDrawn` says so of what it is given. */
function watchCalls(patches: PatchSet, owner: object, key: string, isDrawn: (parameters: unknown[]) => boolean): void {
  patches.wrap(owner, key, ({ parameters, proceed }) => {
    const given = proceed();
    // What throws has drawn nothing.
    recordKeys(() => guarded('telling what a key draws', () => isDrawn(parameters), true));
    return given;
  });
}

/**
 * Marks the run around each call that draws a key, signs with a salt, or encrypts for a public key: all of it may be secret, and is not recorded, so
 * that a replay draws another.
 */
export function watchKeys(patches: PatchSet): void {
  const always = (): boolean => true;
  for (const key of drawing) watchCalls(patches, nodeCrypto, key, always);
  watchCalls(patches, nodeCrypto, 'sign', ([, , key]) => signsOtherwise(key));
  watchCalls(patches, nodeCrypto.Sign.prototype, 'sign', ([key]) => signsOtherwise(key));
  for (const { prototype } of [nodeCrypto.ECDH, nodeCrypto.DiffieHellman])
    watchCalls(patches, prototype, 'generateKeys', always);
  const subtle = subtleOwner();
  watchCalls(patches, subtle, 'generateKey', always);
  for (const key of ['sign', 'encrypt']) {
    watchCalls(patches, subtle, key, ([algorithm]) => drawingAlgorithms.test(algorithmOf(algorithm)));
  }
}

import nodeCrypto from 'node:crypto';

/**
 * What has the random functions that are the same in `node:crypto` and on the web: a framework may put its own on `crypto` itself, and what plays a
 * browser may have taken the globals away.
 */
export function cryptoOwners(): readonly object[] {
  const owners: readonly (object | undefined)[] = [nodeCrypto, classOf(nodeCrypto.webcrypto), globalThis.crypto];
  return owners.filter((owner) => owner !== undefined);
}

/** Where the functions of the web's `crypto.subtle` stand. */
export function subtleOwner(): object {
  return classOf(nodeCrypto.webcrypto.subtle);
}

function classOf(instance: object): object {
  return Object.getPrototypeOf(instance) as object;
}

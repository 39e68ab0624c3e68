import nodeCrypto from 'node:crypto';

/** What has the random functions that are the same in `node:crypto` and on the web: a framework may put its own on `crypto` itself. */
export function cryptoOwners(): readonly object[] {
  return [nodeCrypto, globalThis.Crypto.prototype, globalThis.crypto];
}

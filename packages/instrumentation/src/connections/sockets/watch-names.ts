import { disguised, type PatchSet } from '../../patching/patch-set.ts';
import { connectingCode } from '../unseen/connecting-code.ts';
import { asksNameServer, nameAsked, placeOfName } from '../unseen/name-query.ts';
import { recordConnection } from '../unseen/record-connection.ts';

type Ask = (this: unknown, ...parameters: unknown[]) => unknown;

/** Names that sockets look up by themselves are part of a connection, which is looked at where it is opened. */
const socketPattern = /^node:(?:net|dgram|tls|_tls_wrap|internal\/(?:net|dgram))$/;

function watchAll(patches: PatchSet, owner: object): void {
  for (const key of Object.getOwnPropertyNames(owner)) {
    if (!asksNameServer(key)) continue;
    patches.replace<Ask>(owner, key, (original) => {
      if (typeof original !== 'function') return original;
      const ask: Ask = function (this: unknown, ...parameters) {
        recordConnection((isKnown) => {
          const name = nameAsked(key, parameters);
          const place = name === undefined ? undefined : placeOfName(key, name);
          if (place === undefined || isKnown(place)) return undefined;
          const code = connectingCode(ask, socketPattern);
          return code.type === 'code' ? { place, package: code.package } : undefined;
        });
        return Reflect.apply(original, this, parameters);
      };
      return disguised(ask, original);
    });
  }
}

/** Notes what agents ask name servers themselves: the answers are not recorded, and the guard of a replay refuses to ask. */
export function watchNames(patches: PatchSet): void {
  const dns = process.getBuiltinModule('node:dns');
  for (const owner of [dns, dns.Resolver.prototype, dns.promises, dns.promises.Resolver.prototype]) {
    watchAll(patches, owner);
  }
  patches.publish();
}

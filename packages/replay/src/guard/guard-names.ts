import type { PatchSet } from '@reenact/instrumentation';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { EffectJudge } from './effect-judge.ts';
import { asking, type EffectOf, type FailureShape } from './refusals.ts';

/** Whether a function of `node:dns` asks a name server. The others set up, or are constants. */
export function asksNameServer(key: string): boolean {
  return /^(lookup|lookupService|reverse|resolve.*)$/.test(key);
}

function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host) || host.includes(':');
}

/** Whether the machine knows the answer by itself: its own names, and addresses where a name is asked for. */
function isKnownHere(key: string, host: string): boolean {
  const isReverse = key === 'reverse' || key === 'lookupService';
  if (isReverse) return /^(127(\.\d+){3}|::1)$/.test(host);
  return host === '' || /^(.*\.)?localhost$/i.test(host) || isAddress(host);
}

function nameEffect(key: string): EffectOf {
  return ([host]): AttemptedEffect | undefined =>
    typeof host !== 'string' || isKnownHere(key, host)
      ? undefined
      : { type: 'host', name: `dns.${key}`, host, port: undefined };
}

function guardAll(patches: PatchSet, judge: EffectJudge, owner: object, shape: FailureShape): void {
  for (const key of Object.getOwnPropertyNames(owner)) {
    if (asksNameServer(key)) patches.wrap(owner, key, asking(judge, shape, nameEffect(key)));
  }
}

/** Guards `node:dns`: a name looked up is seen by a name server, and can carry data. */
export function guardNames(patches: PatchSet, judge: EffectJudge): void {
  const dns = process.getBuiltinModule('node:dns');
  guardAll(patches, judge, dns, 'callback');
  guardAll(patches, judge, dns.Resolver.prototype, 'callback');
  guardAll(patches, judge, dns.promises, 'reject');
  guardAll(patches, judge, dns.promises.Resolver.prototype, 'reject');
}

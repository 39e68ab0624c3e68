import { asksNameServer, nameAsked, type PatchSet } from '@reenact/instrumentation';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { EffectJudge } from './effect-judge.ts';
import { asking, type EffectOf, type FailureShape } from './refusals.ts';

function nameEffect(key: string): EffectOf {
  return (parameters): AttemptedEffect | undefined => {
    const host = nameAsked(key, parameters);
    return host === undefined ? undefined : { type: 'host', name: `dns.${key}`, host, port: undefined };
  };
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

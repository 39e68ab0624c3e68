import { isIP } from 'node:net';
import { asksNameServer, type Behaviour, nameAsked, type PatchSet } from '@reenact/instrumentation';
import type { AttemptedEffect } from './attempted-effect.ts';
import type { EffectJudge } from './effect-judge.ts';
import { asking, callbackOf, type EffectOf, type FailureShape } from './refusals.ts';

function nameEffect(key: string): EffectOf {
  return (parameters): AttemptedEffect | undefined => {
    const host = nameAsked(key, parameters);
    return host === undefined ? undefined : { type: 'host', name: `dns.${key}`, host, port: undefined };
  };
}

/** The addresses in what a function gave that looks up names. */
function addressesIn(found: unknown): readonly string[] {
  const entries: readonly unknown[] = Array.isArray(found) ? found : [found];
  const texts = entries.map((entry) =>
    typeof entry === 'string' ? entry : (Object(entry) as { address?: unknown }).address,
  );
  return texts.filter((text): text is string => typeof text === 'string' && isIP(text) !== 0);
}

/** Has a host that may be reached be reached by the address, too, which the program found by its name. */
function telling(judge: EffectJudge, shape: FailureShape): Behaviour {
  return ({ parameters, proceed }) => {
    const [host] = parameters;
    const allowed = judge.allowedHere();
    if (typeof host !== 'string' || allowed?.namesHosts !== true) return proceed();
    const tell = (found: unknown): void => {
      for (const address of addressesIn(found)) allowed.found(address, host);
    };
    if (shape === 'reject') {
      const finding = proceed();
      void Promise.resolve(finding).then(tell, () => undefined);
      return finding;
    }
    const callback = callbackOf(parameters);
    if (callback === undefined) return proceed();
    const called = (error: unknown, ...found: readonly unknown[]): void => {
      tell(found[0]);
      callback(error, ...found);
    };
    return proceed([...parameters.slice(0, -1), called]);
  };
}

function guardAll(patches: PatchSet, judge: EffectJudge, owner: object, shape: FailureShape): void {
  for (const key of Object.getOwnPropertyNames(owner)) {
    if (!asksNameServer(key)) continue;
    patches.wrap(owner, key, telling(judge, shape));
    patches.wrap(owner, key, asking(judge, shape, nameEffect(key)));
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

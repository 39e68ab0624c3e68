import http2, { type ClientHttp2Session } from 'node:http2';
import { promisify } from 'node:util';
import { guarded, wireMode } from '@reenact/instrumentation';
import type { OutboundSettings } from '../outbound/outbound-settings.ts';
import { patchProperty } from '../property-patch.ts';
import {
  gatedRequestStream,
  origins,
  type RequestStream,
  replaySessions,
  type SessionSettings,
} from './gated-session.ts';
import { watchPushes } from './recorded-pushes.ts';
import { ReplaySession } from './replay-session.ts';
import { type Connect, originOf } from './session-origin.ts';

/** `util.promisify` takes this one: the platform's own calls the function that the gate stands before. */
function promised(connect: Connect): (...given: Parameters<Connect>) => Promise<ClientHttp2Session> {
  return (authority, options) =>
    new Promise((resolve, reject) => {
      const session = connect(authority, options, () => {
        session.removeListener('error', reject);
        resolve(session);
      });
      session.once('error', reject);
    });
}

/** Puts the gate into `http2.connect` and the sessions it makes. Returns how to undo it. */
export function patchHttp2(outbound: OutboundSettings): () => void {
  let undoSessions: (() => void) | undefined;
  const gateSessions = (session: ClientHttp2Session, settings: SessionSettings): void => {
    // The class of sessions can be had only from a session.
    undoSessions ??= patchProperty<RequestStream>(Object.getPrototypeOf(session) as object, 'request', (original) =>
      gatedRequestStream(original, settings),
    );
  };
  const undoConnect = patchProperty<Connect>(http2, 'connect', (original) => {
    const settings: SessionSettings = { outbound, connect: (...given) => Reflect.apply(original, http2, given) };
    const gated = function connect(this: unknown, ...given: Parameters<Connect>) {
      const origin = outbound.isActive() ? guarded('reading a session', () => originOf(given), undefined) : undefined;
      if (origin === undefined) return Reflect.apply(original, this, given);
      if (wireMode() !== 'replay') {
        const session: ClientHttp2Session = Reflect.apply(original, this, given);
        origins.set(session, origin);
        const watch = (): void => {
          gateSessions(session, settings);
          watchPushes(session);
        };
        guarded('watching a session', watch, undefined);
        return session;
      }
      const listener = given.find((value) => typeof value === 'function') as Parameters<Connect>[2];
      const made = new ReplaySession(origin, listener);
      origins.set(made.session, origin);
      replaySessions.set(made.session, made);
      gateSessions(made.session, settings);
      return made.session;
    };
    return Object.defineProperty(gated, promisify.custom, { value: promised(gated) });
  });
  return () => {
    undoConnect();
    undoSessions?.();
  };
}

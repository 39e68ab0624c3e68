import { context as contexts } from '@opentelemetry/api';
import { gate } from '../admission/current-gate.ts';
import { guarded, warnHost } from '../host/report-failure.ts';
import { requireFunction } from '../host/require-function.ts';
import { contextWithIdentity, type Identity } from '../run/identity.ts';
import { reportUnknownKeys } from './report-unknown-keys.ts';

/**
 * Says who the current run is for: on every crossing of the run that has not ended yet, those around this call included.
 * Without an active run it does nothing but a diagnostic message; a key that no identity has is ignored, with one. Never throws.
 */
export function identify(identity: Identity): void {
  reportUnknownKeys(identity);
  const isKnown = guarded('identifying a run', () => gate.identify(contexts.active(), identity), true);
  if (!isKnown) warnHost('identify() was called outside a run; use withIdentity() around the run instead.');
}

/** Runs `fn` so that every crossing below carries this identity; unknown keys as for `identify`. Returns and throws what `fn` does, and ReenactError `bad-argument` where that is no function. */
export function withIdentity<Result>(identity: Identity, fn: () => Result): Result {
  requireFunction('withIdentity(identity, fn)', fn);
  reportUnknownKeys(identity);
  return contexts.with(contextWithIdentity(contexts.active(), identity), fn);
}

/**
 * Asks for the current run to be kept when others are thinned out, and says why. The first reason counts; an error run is kept
 * without it. Everything of a run is recorded whether or not anybody asks. It may be called after the run has ended, from code
 * that the run started, until the run's spans are handed on. True where the run is marked; else, and without an active run, it
 * does nothing but a diagnostic message. Never throws.
 */
export function keep(reason = 'keep'): boolean {
  switch (guarded('keeping a run', () => gate.keep(contexts.active(), String(reason)), undefined)) {
    case 'kept':
      return true;
    case 'too-late':
      warnHost('keep() was called after the spans of its run had been handed on; call it sooner.');
      return false;
    case 'no-run':
      warnHost('keep() was called outside a run; call it inside the agent whose run it is about.');
      return false;
    case undefined:
      return false;
  }
}

import { MemberPatcher, SERVED_API_KEY, type StainlessLibrary } from '@reenact/instrumentation';
import { endsMessage } from './ends-message.ts';
import { gateCallOf } from './gate-call.ts';

/** What differs between this package's client and others of the same generator. */
export const anthropicLibrary: StainlessLibrary = {
  name: '@anthropic-ai/sdk',
  patched: new MemberPatcher(Symbol.for('reenact.anthropic.patched.1')),
  // Key functions, token caches and profiles are all asked by this one member.
  credentials: [{ key: 'authHeaders', served: () => ({ Authorization: `Bearer ${SERVED_API_KEY}` }) }],
  // Its own `fetch` is below the user's middleware and a platform's request signing, which must not run for a served call.
  attemptMember: 'fetchWithTimeout',
  describeCall: gateCallOf,
  isWhole: endsMessage,
};

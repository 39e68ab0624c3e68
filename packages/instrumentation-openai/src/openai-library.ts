import { MemberPatcher, SERVED_API_KEY, type StainlessLibrary } from '@reenact/instrumentation';
import { gateCallOf } from './gate-call.ts';
import { saysDone } from './says-done.ts';

/** What differs between this package's client and others of the same generator. */
export const openaiLibrary: StainlessLibrary = {
  name: 'openai',
  patched: new MemberPatcher(Symbol.for('reenact.openai.patched.1')),
  credentials: [
    {
      key: '_callApiKey',
      served: ({ apiKey }, [capture]) => {
        if (typeof capture === 'function') capture(apiKey ?? SERVED_API_KEY);
        return false;
      },
    },
    { key: 'bearerAuth', served: () => ({ Authorization: `Bearer ${SERVED_API_KEY}` }) },
  ],
  attemptMember: 'fetch',
  describeCall: gateCallOf,
  isWhole: saysDone,
};

import { defineReenact } from 'reenact';

export const reenact = defineReenact({
  entries: {
    'agent:desk': () => import('./desk.ts').then((module) => module.answer),
    'agent:analyst': './desk.ts#analyst',
    'tool:place_order': './broker.ts#placeOrder',
    'tool:stream_words': async () => (await import('./desk.ts')).streamWords,
  },
  // In force only where REENACT_CONFIG names this file.
  redaction: { rules: [{ id: 'amount', why: 'Amounts are internal.', pattern: /\$[\d,]+/ }] },
});

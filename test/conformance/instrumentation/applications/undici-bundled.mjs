import { HttpInstrumentation } from '@reenact/instrumentation-http';
import undici from 'undici';
import { act } from './undici-act.mjs';

export const run = (address) => {
  // What the platform brings is patched at once; the copy inside this bundle is handed over.
  new HttpInstrumentation().instrumentUndici(undici);
  return act(undici, address);
};

import { webcrypto } from 'node:crypto';
import { recordedDrawsSchema } from '@reenact/trace-model/reading';
import { afterEach, describe, expect, it } from 'vitest';
import { agent } from '../boundary/boundaries.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { installDrawRecording } from './install-draw-recording.ts';

const recorded = recordedFacts();
const names = ['Crypto', 'SubtleCrypto', 'crypto'] as const;
const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
let uninstall = (): void => undefined;

afterEach(() => {
  uninstall();
  for (const [name, descriptor] of before) Object.defineProperty(globalThis, name, descriptor ?? {});
});

describe('where somebody has taken the cryptography of the web away, as what plays a browser does', () => {
  it.each([{ gone: names }, ...names.map((name) => ({ gone: [name] }))])(
    'keeps what is drawn without $gone',
    async ({ gone }) => {
      for (const name of gone) Reflect.deleteProperty(globalThis, name);
      uninstall = installDrawRecording({ environment: {} });
      const id = await agent('drawing', async () => webcrypto.randomUUID())();
      await agent('making', () => webcrypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']))();
      const [drawing, making] = ['drawing', 'making'].map((name) =>
        recorded.find(({ boundary }) => boundary.name === name),
      );
      expect(recordedDrawsSchema.parse(JSON.parse(String(drawing?.draws)))).toEqual({ 'crypto.randomUUID': [id] });
      expect(making?.lossy?.join()).toContain('node:crypto');
    },
  );
});

import nodeCrypto, { constants, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { agent } from '../boundary/boundaries.ts';
import { recordedFacts } from '../testing/recorded-facts.ts';
import { installDrawRecording } from './install-draw-recording.ts';

const recorded = recordedFacts();
let uninstall = (): void => undefined;

afterEach(() => uninstall());

async function marksOf(work: () => unknown): Promise<readonly string[]> {
  uninstall = installDrawRecording({ environment: {} });
  await agent('keys', async () => void (await work()))();
  return recorded.findLast(({ boundary }) => boundary.name === 'keys')?.lossy ?? [];
}

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
const ed = generateKeyPairSync('ed25519');
const data = Buffer.from('text');
const pem = (key: KeyObject): string => String(key.export({ type: 'pkcs8', format: 'pem' }));
const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const imported = crypto.subtle.importKey(
  'pkcs8',
  ec.privateKey.export({ type: 'pkcs8', format: 'der' }),
  ecdsa,
  false,
  ['sign'],
);
const hmac = crypto.subtle.importKey('raw', data, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);

describe('a run is told to lack', () => {
  it.each<[string, () => unknown]>([
    ['a pair of keys', () => nodeCrypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['one that is called back with', () => promisify(nodeCrypto.generateKeyPair)('ec', { namedCurve: 'P-256' })],
    ['a secret key', () => nodeCrypto.generateKeySync('aes', { length: 128 })],
    ['a prime', () => nodeCrypto.generatePrimeSync(32)],
    ['a key of the web', () => crypto.subtle.generateKey(ecdsa, true, ['sign'])],
    ['a key that is agreed on', () => nodeCrypto.createECDH('prime256v1').generateKeys()],
    ['a signature of ECDSA', () => nodeCrypto.sign('sha256', data, ec.privateKey)],
    [
      'one by a key that is text',
      () =>
        createSign('sha256')
          .update(data)
          .sign({ key: pem(ec.privateKey) }),
    ],
    ['one of the web', async () => crypto.subtle.sign(ecdsa, await imported, data)],
    [
      'one with a salt',
      () => nodeCrypto.sign('sha256', data, { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING }),
    ],
    ['what is encrypted for a public key', () => nodeCrypto.publicEncrypt(rsa.publicKey, data)],
  ])('%s', async (_name, work) => {
    expect(await marksOf(work)).toEqual([
      '/draws/node:crypto not recorded: a key, a signature or what is encrypted with one is another each time',
    ]);
  });
});

describe('a run is told nothing of', () => {
  it.each<[string, () => unknown]>([
    ['a signature of RSA', () => nodeCrypto.sign('sha256', data, pem(rsa.privateKey))],
    ['one of Ed25519', () => nodeCrypto.sign(null, data, ed.privateKey)],
    ['one by a secret of the web', async () => crypto.subtle.sign('HMAC', await hmac, data)],
    ['a key that cannot be one', () => expect(() => nodeCrypto.sign('sha256', data, 'no key')).toThrow()],
  ])('%s', async (_name, work) => {
    expect(await marksOf(work)).toEqual([]);
  });
});

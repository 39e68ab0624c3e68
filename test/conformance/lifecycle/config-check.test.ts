import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CollectorConfigInput, checkCollectorConfig } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { Testbed } from '../testbed.ts';

const pathOf = (name: string) => fileURLToPath(new URL(`../receiver/certificates/${name}.pem`, import.meta.url));
const tls = { certificateFile: pathOf('server'), keyFile: pathOf('server-key'), clientCaFile: pathOf('ca') };
const shown = { caFile: pathOf('ca'), certificateFile: pathOf('client'), keyFile: pathOf('client-key') };
const forward = [{ name: 'far', url: 'https://far.example', content: 'full' as const, tls: shown }];

const testbed = new Testbed();
afterEach(() => testbed.dispose());

describe('the check of a configuration', () => {
  it('has nothing to say of certificates that are valid', () => {
    expect(checkCollectorConfig({ tls, forward }, Date.parse('2030-01-01')).warnings).toEqual([]);
  });

  it.each([
    ['2020-01-01', 'is not valid before 2026-11-21'],
    ['2200-01-01', 'has ended on 2126-10-28'],
  ])('names every certificate whose time it is not, on %s', (day, trouble) => {
    const { warnings } = checkCollectorConfig({ tls, forward }, Date.parse(day));
    expect(warnings).toEqual(
      ['tls.certificateFile', 'tls.clientCaFile', 'forward.far.tls.certificateFile', 'forward.far.tls.caFile'].map(
        (key) => expect.stringContaining(`The certificate of ${key} ${trouble}`),
      ),
    );
  });

  it('refuses a key of another kind than the certificate, which OpenSSL takes', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const keyFile = join(await testbed.directory(), 'rsa-key.pem');
    writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const others: readonly (readonly [string, CollectorConfigInput])[] = [
      ['tls.keyFile', { tls: { ...tls, keyFile } }],
      [
        'forward.far.tls.keyFile',
        { forward: [{ name: 'far', url: 'https://far.example', content: 'full', tls: { ...shown, keyFile } }] },
      ],
    ];
    for (const [where, config] of others)
      expect(() => checkCollectorConfig(config)).toThrow(expect.objectContaining({ code: 'bad-config', where }));
  });
});

describe('a file of tokens', () => {
  it('may begin with the mark that editors of Windows put before a text', async () => {
    const tokensFile = join(await testbed.directory(), 'tokens.json');
    writeFileSync(tokensFile, `\uFEFF${JSON.stringify([{ name: 'app', sha256: 'a'.repeat(64), scopes: ['ingest'] }])}`);
    expect(checkCollectorConfig({ tokensFile }).tokens).toBe(1);
  });

  it('is told by its place where it is not JSON, and nothing of it is shown', async () => {
    const tokensFile = join(await testbed.directory(), 'tokens.json');
    writeFileSync(tokensFile, '[\n  { "name": "app", "sha256": reenact_secret }\n]\n');
    const message = `The file of tokensFile is not JSON from line 2, column 30 on: ${tokensFile}.`;
    expect(() => checkCollectorConfig({ tokensFile })).toThrow(
      expect.objectContaining({ where: 'tokensFile', message }),
    );
  });
});

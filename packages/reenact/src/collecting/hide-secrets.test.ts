import { parseCollectorConfig } from '@reenact/collector';
import { describe, expect, it } from 'vitest';
import { hideSecrets } from './hide-secrets.ts';

describe('a configuration that is shown', () => {
  it('holds no token digest, no header value, no password and no parameter, and all the rest', () => {
    const sha256 = '0123456789abcdef'.repeat(4);
    const config = parseCollectorConfig({
      host: '10.0.0.1',
      tokens: [{ name: 'app', sha256, scopes: ['read'] }],
      forward: [
        {
          name: 'a',
          url: 'https://me:pass-word@a.example/x?key=par-ameter',
          content: 'slim',
          headers: { 'x-key': 'head-er' },
        },
        { name: 'b', url: 'http://b.example:4318', content: 'full' },
      ],
      metricsExport: { url: 'https://c.example/?key=met-ric', headers: { 'x-other': 'val-ue' } },
    });
    const shown = JSON.stringify(hideSecrets(config));
    for (const secret of [sha256, 'pass-word', 'par-ameter', 'head-er', 'met-ric', 'val-ue'])
      expect(shown).not.toContain(secret);
    for (const fact of ['10.0.0.1', 'x-key', 'me:hidden@a.example', 'http://b.example:4318"'])
      expect(shown).toContain(fact);
  });
});

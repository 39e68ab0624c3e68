import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import {
  ANTHROPIC_INSTRUMENTATION_NAME,
  ANTHROPIC_INSTRUMENTATION_VERSION,
  ANTHROPIC_VERSIONS_SUPPORTED,
} from './version.ts';

it('the names and versions said are those of the package', async () => {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const { name, version, peerDependencies } = JSON.parse(text);
  expect([ANTHROPIC_INSTRUMENTATION_NAME, ANTHROPIC_INSTRUMENTATION_VERSION]).toEqual([name, version]);
  expect(ANTHROPIC_VERSIONS_SUPPORTED).toEqual([peerDependencies['@anthropic-ai/sdk']]);
});

import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { OPENAI_INSTRUMENTATION_NAME, OPENAI_INSTRUMENTATION_VERSION, OPENAI_VERSIONS_SUPPORTED } from './version.ts';

it('the names and versions said are those of the package', async () => {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8');
  const { name, version, peerDependencies } = JSON.parse(text);
  expect([OPENAI_INSTRUMENTATION_NAME, OPENAI_INSTRUMENTATION_VERSION]).toEqual([name, version]);
  expect(OPENAI_VERSIONS_SUPPORTED).toEqual([peerDependencies.openai]);
});

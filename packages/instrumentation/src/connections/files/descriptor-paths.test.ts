import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const program = `
import { openSync, writeSync } from 'node:fs';
import { descriptorPath } from ${JSON.stringify(new URL('./descriptor-paths.ts', import.meta.url).href)};
writeSync(1, String(descriptorPath(openSync('/dev/stdout', 'w'))));
`;

it.skipIf(process.platform !== 'linux')(
  'the standard output that was opened by its path is the standard output',
  () => {
    const line = '"$0" --input-type=module --eval "$1" | cat';
    const output = execFileSync('sh', ['-c', line, process.execPath, program], { encoding: 'utf8' });
    expect(output).toBe('/dev/stdout');
  },
);

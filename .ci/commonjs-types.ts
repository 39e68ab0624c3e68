import { cpSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Part of every package's build, in its folder. TypeScript lets a CommonJS file import nothing whose types lie in a package of ES modules
// (TS1479, with `module` node16 and node18), though every Node.js that we support can require them. So it gets the same types once more.
const copies = 'dist/commonjs';

rmSync(copies, { recursive: true, force: true });
for (const path of globSync('**/*.d.ts', { cwd: 'dist' })) cpSync(join('dist', path), join(copies, path));
writeFileSync(join(copies, 'package.json'), `${JSON.stringify({ type: 'commonjs' }, undefined, 2)}\n`);

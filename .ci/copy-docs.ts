import { cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// Part of the build of the package that people install: what messages name must be there for whoever has nothing but that, by `reenact docs`.
const from = '../../docs';

rmSync('docs', { recursive: true, force: true });
for (const path of globSync('**/*.md', { cwd: from })) cpSync(join(from, path), join('docs', path));

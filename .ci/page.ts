import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { bundledLicenses } from './bundled-licenses.ts';

// Part of the build of packages/ui, in its folder: the page as a browser loads it, in one script with all that it stands on.

const source = 'src/page';
const page = 'dist/page';

rmSync(page, { recursive: true, force: true });
mkdirSync(page, { recursive: true });
const bundle = await rolldown({
  input: { app: join(source, 'main.tsx') },
  platform: 'browser',
  resolve: { conditionNames: ['@reenact/source', 'import', 'browser', 'default'] },
  transform: { target: 'es2023' },
  external: /^node:/,
});
const { output } = await bundle.write({ dir: page, format: 'esm', entryFileNames: '[name].js', minify: true });
// What is of Node.js and is used would fail in a browser, and there only.
const outside = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.imports : []));
if (outside.length > 0) throw new Error(`The page uses what no browser has: ${outside.join(', ')}`);
for (const file of ['index.html', 'app.css', 'icon.svg']) cpSync(join(source, file), join(page, file));
const bundled = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
writeFileSync(join(page, 'licenses.txt'), bundledLicenses(bundled));

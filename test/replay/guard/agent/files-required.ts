// CommonJS, and a dependency that knows nothing of Reenact and took its functions out of the module while it loaded.
import { createRequire } from 'node:module';
import { fileAttempts } from './file-attempts.ts';

const require = createRequire(import.meta.url);
const dependency = createRequire(`${process.cwd()}/package.json`)('old-library') as {
  attempts: Record<string, () => unknown>;
};

export const attempts = { ...fileAttempts(require('node:fs'), require('node:fs').promises), ...dependency.attempts };

// ES module: everything imported by name, before anything else runs.
import * as files from 'node:fs';
import * as promises from 'node:fs/promises';
import { fileAttempts } from './file-attempts.ts';

export const attempts = fileAttempts(files, promises);

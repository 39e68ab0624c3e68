import { createHash, createHmac } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeDirectories } from '../../host/make-directories.ts';
import { pristine } from '../../host/pristine.ts';
import { reportFailure } from '../../host/report-failure.ts';

/** Where a key came from. `process`: it could not be kept and is gone with this process. */
export type RedactionKeySource = 'environment' | 'file' | 'process';

/** The key that tokens are made with. */
export interface RedactionKey {
  readonly bytes: Buffer;
  /** Names the key without telling it: 16 hex digits. */
  readonly id: string;
  readonly source: RedactionKeySource;
}

// Taken out of the module record, which the guard of a replay rewrites: a key may be asked for first while one runs. None of
// them calls another of the module by its name there, as writeFileSync does.
const files = { closeSync, openSync, readFileSync, writeSync };

const KEY_BYTES = 32;

/** Where the key of this user is kept when no variable says so. */
export function redactionKeyFile(environment: NodeJS.ProcessEnv): string {
  const { REENACT_REDACTION_KEY_FILE: named, XDG_CONFIG_HOME: configuration } = environment;
  if (named !== undefined && named !== '') return named;
  const folder = configuration !== undefined && configuration !== '' ? configuration : join(homedir(), '.config');
  return join(folder, 'reenact', 'redaction.key');
}

function keyOf(text: string, source: RedactionKeySource): RedactionKey {
  // Any text is a key: a passphrase is as good as its length.
  const bytes = createHash('sha256').update('reenact redaction key\n').update(text).digest();
  return {
    bytes,
    source,
    id: createHmac('sha256', bytes).update('reenact redaction key id').digest('hex').slice(0, 16),
  };
}

function readKey(file: string): string | undefined {
  try {
    const text = files.readFileSync(file, 'utf8').trim();
    return text === '' ? undefined : text;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Writes a file that is not there yet. */
function writeNew(file: string, text: string): void {
  const descriptor = files.openSync(file, 'wx', 0o600);
  try {
    files.writeSync(descriptor, text);
  } finally {
    files.closeSync(descriptor);
  }
}

/** Makes the key of this user, unless another process has just made it. */
function makeKey(file: string): string {
  const made = pristine.randomBytes(KEY_BYTES).toString('hex');
  makeDirectories(dirname(file));
  try {
    writeNew(file, `${made}\n`);
    return made;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    // Two processes began at once: the other one's key counts, as soon as all of it is written.
    const other = readKey(file);
    if (other === undefined) throw thrown;
    return other;
  }
}

/**
 * The key of this process: `REENACT_REDACTION_KEY`, else the key file of the user, which is made on first use. Where there
 * can be no file, a key that lasts as long as the process. Never throws.
 */
export function loadRedactionKey(environment: NodeJS.ProcessEnv): RedactionKey {
  const { REENACT_REDACTION_KEY: given } = environment;
  if (given !== undefined && given !== '') return keyOf(given, 'environment');
  try {
    const file = redactionKeyFile(environment);
    return keyOf(readKey(file) ?? makeKey(file), 'file');
  } catch (thrown) {
    reportFailure('keeping the redaction key', thrown);
    return keyOf(pristine.randomBytes(KEY_BYTES).toString('hex'), 'process');
  }
}

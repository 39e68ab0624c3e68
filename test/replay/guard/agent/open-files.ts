import * as files from 'node:fs';
import {
  constants,
  createWriteStream,
  fchmodSync,
  fchown,
  futimesSync,
  openSync,
  readFileSync,
  WriteStream,
} from 'node:fs';
import { link, open, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Attempts, calledBack, ending } from './attempts.ts';

const owner = [process.getuid?.() ?? 0, process.getgid?.() ?? 0] as const;
const inTemporary = (name: string): string => join(tmpdir(), name);

/** Node.js has this class since 24.6. */
function logging(): Attempts {
  if (!('Utf8Stream' in files)) return {};
  const { Utf8Stream } = files;
  return {
    'fs.openSync by fs.Utf8Stream': () => String(new Utf8Stream({ dest: 'logged.txt', sync: true }).write('x')),
  };
}

/** What reaches files by descriptors, handles, streams and links. */
export const attempts: Attempts = {
  ...logging(),
  'fs.createWriteStream': () => ending(createWriteStream('streamed.txt'), 'open'),
  'fs.createWriteStream piped': () => pipeline(Readable.from(['x']), createWriteStream('streamed.txt')),
  'fs.open by fs.WriteStream': () => ending(Reflect.construct(WriteStream, ['streamed.txt']), 'open'),
  'fs.openSync creating': () => openSync('created.txt', constants.O_RDONLY | constants.O_CREAT),
  'fs.openSync to append': () => openSync('appended.txt', 'a+'),
  'fs.readFileSync emptying': () => readFileSync('truncated.txt', { flag: 'w+', encoding: 'utf8' }),
  'fs.fchmodSync': () => fchmodSync(openSync('mode.txt', 'r'), 0o600),
  'fs.futimesSync': () => futimesSync(openSync('times.txt', 'r'), 1, 1),
  'fs.fchown': () => calledBack((done) => fchown(openSync('owned.txt', 'r'), ...owner, done)),
  'FileHandle.chmod': async () => (await open('mode.txt', 'r')).chmod(0o600),
  'FileHandle.utimes': async () => (await open('times.txt', 'r')).utimes(1, 1),
  'FileHandle.chown': async () => (await open('owned.txt', 'r')).chown(...owner),
  'fs.promises.open to write': () => open('written.txt', 'r+'),
  'fs.promises.writeFile through a link': async () => {
    await symlink(join(process.cwd(), 'written.txt'), inTemporary('a-link'));
    await writeFile(inTemporary('a-link'), 'x');
  },
  'fs.promises.writeFile through a link to nothing': async () => {
    await symlink(join(process.cwd(), 'yet-to-be-made.txt'), inTemporary('an-empty-link'));
    await writeFile(inTemporary('an-empty-link'), 'x');
  },
  'fs.promises.link out of the folder': () => link('written.txt', inTemporary('a-hard-link')),
};

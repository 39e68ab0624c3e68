import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

function pictureOf(path: string): string {
  const { mode, mtimeMs, nlink, uid, gid, ...stats } = lstatSync(path);
  const facts = `${mode.toString(8)} ${uid}:${gid} ${mtimeMs} ${nlink}`;
  const kind = mode & 0o170000;
  if (kind === 0o120000) return `${facts} -> ${readlinkSync(path)}`;
  return kind === 0o040000 ? facts : `${facts} ${stats.size} ${readFileSync(path).toString('base64')}`;
}

/** Everything in a folder: names, bytes, modes, owners, times of change and link counts. */
export function folderPicture(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(['.', ...names].map((name) => [name, pictureOf(join(folder, name))]));
}

import { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process';
import cluster from 'node:cluster';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Attempts, calledBack, ending } from './attempts.ts';

const node = process.execPath;
const code = (name: string): string => `require('node:fs').writeFileSync('${name}', 'x')`;
const command = (name: string): string => `"${node}" -e "${code(name)}"`;
const programPath = join(tmpdir(), 'program.cjs');
writeFileSync(programPath, code('made-by-a-file.txt'));

/** Every way to start other programs; each would make a file of its own. */
export const attempts: Attempts = {
  'child_process.spawn': () => ending(spawn(node, ['-e', code('spawn.txt')]), 'close'),
  'child_process.spawn in a shell': () =>
    ending(spawn(command('shell.txt'), { shell: true, stdio: 'ignore' }), 'close'),
  'child_process.spawn with streams in use': async () => {
    const child = spawn(node, ['-e', code('streams.txt')]);
    child.stdin.on('error', () => undefined);
    child.stdin.end('input');
    child.stdout.setEncoding('utf8');
    child.stdout.resume();
    return ending(child, 'exit');
  },
  'child_process.exec': () => calledBack((done) => exec(command('exec.txt'), done)),
  'child_process.exec as a promise': () => promisify(exec)(command('exec-promise.txt')),
  'child_process.execFile': () => calledBack((done) => execFile(node, ['-e', code('exec-file.txt')], {}, done)),
  'child_process.execFile as a promise': () => promisify(execFile)(node, ['-e', code('exec-file-promise.txt')]),
  'child_process.execFile without a callback': () => ending(execFile(node, ['-e', code('execFile.txt')]), 'close'),
  'child_process.fork': () => ending(fork(programPath, { stdio: 'ignore' } as object), 'close'),
  'child_process.spawnSync': () => {
    const { error, status } = spawnSync(node, ['-e', code('spawn-sync.txt')]);
    if (error !== undefined) throw error;
    return status;
  },
  'child_process.execSync': () => execSync(command('exec-sync.txt')).toString(),
  'child_process.execFileSync': () => execFileSync(node, ['-e', code('exec-file-sync.txt')]).toString(),
  'cluster.fork': () => {
    cluster.setupPrimary({ exec: programPath });
    return ending(cluster.fork(), 'online');
  },
  'process.dlopen': () => process.dlopen({ exports: {} }, join(tmpdir(), 'no-such-library.node')),
};

import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ContainerEngine } from './container-engine.ts';

const start = promisify(execFile);

/** The image that the Dockerfile builds on. */
export const BASE_IMAGE = 'docker.io/library/node:24-slim';

/** Certificates that this machine trusts, which may lead to the registries it reaches. */
const TRUSTED = '/etc/ssl/certs/ca-certificates.crt';

/** Whether a Debian can be made here where the image cannot be fetched. */
function canMakeDebian(): boolean {
  return process.getuid?.() === 0 && spawnSync('which', ['debootstrap', 'apt-get']).status === 0;
}

/** Where this machine takes its Debian packages from, and which release it is. */
function debianOfThisMachine(): { site: string; release: string } {
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(SITE)', 'Created-By: Packages'], {
    encoding: 'utf8',
  });
  const [site = ''] = stdout.split('\n');
  const [, release = ''] = /^VERSION_CODENAME=(\S+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  return { site, release };
}

/** What the real image is made of: a small Debian, Node.js of this line with npm, and a user `node`. */
async function makeRoot(root: string): Promise<void> {
  const { site, release } = debianOfThisMachine();
  await start('debootstrap', ['--variant=minbase', '--include=ca-certificates', release, root, site]);
  const local = join(root, 'usr/local');
  cpSync(process.execPath, join(local, 'bin/node'), { dereference: true });
  const npm = mkdtempSync(join(tmpdir(), 'reenact-npm-'));
  await start('npm', ['install', '--no-audit', '--no-fund', '--silent', '--prefix', npm, 'npm@11']);
  mkdirSync(join(local, 'lib/node_modules'), { recursive: true });
  cpSync(join(npm, 'node_modules/npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
  rmSync(npm, { recursive: true, force: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  cpSync(TRUSTED, join(root, TRUSTED));
  await start('chroot', [root, 'useradd', '--create-home', '--uid', '1000', 'node']);
}

async function makeBaseImage(engine: ContainerEngine): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reenact-base-'));
  try {
    const root = join(folder, 'root');
    await makeRoot(root);
    await start('tar', ['-C', root, '-cf', join(folder, 'root.tar'), '.']);
    rmSync(root, { recursive: true, force: true });
    const lines = ['FROM scratch', 'ADD root.tar /', `ENV NODE_EXTRA_CA_CERTS=${TRUSTED}`, 'CMD ["node"]'];
    writeFileSync(join(folder, 'Containerfile'), `${lines.join('\n')}\n`);
    await engine.run(['build', '--file', join(folder, 'Containerfile'), '--tag', BASE_IMAGE, folder]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Sees to it that the base image is there: kept from before, fetched, or, where no registry of images is reached, made of Debian's
 * packages and this Node.js under its name. Says which of them; undefined where none can be had.
 */
export async function provideBaseImage(engine: ContainerEngine): Promise<'kept' | 'fetched' | 'made' | undefined> {
  if ((await engine.attempt(['image', 'inspect', BASE_IMAGE])).exitCode === 0) return 'kept';
  if ((await engine.attempt(['pull', BASE_IMAGE])).exitCode === 0) return 'fetched';
  if (!canMakeDebian()) return undefined;
  await makeBaseImage(engine);
  return 'made';
}

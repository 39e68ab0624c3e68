// Builds the peers that the interop suites and benchmarks run against, each at the version its go.mod pins, once per machine.
// Never fails: a peer that cannot be built is named, and the suites that need it are left out by name. In CI it also installs two browsers and an
// engine of containers where Debian's packages can be had; on a machine of somebody's own that is left to them.
import { spawnSync } from 'node:child_process';
import { BROWSER_PACKAGES, findBrowser, findFirefox } from '../test/interop/browser/find-browser.ts';
import { provideBaseImage } from '../test/interop/deploy/base-image.ts';
import { findContainerEngine } from '../test/interop/deploy/container-engine.ts';
import { PEER_NAMES, peerPath, peerSource } from '../test/interop/peers/peer.ts';

/** How long building one peer may take, milliseconds. On two idle cores the largest takes about ten minutes. */
const BUILD_MS_MAX = 25 * 60 * 1_000;

function hasGo(): boolean {
  return spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;
}

function build(name: (typeof PEER_NAMES)[number]): string {
  if (peerPath(name) !== undefined) return 'there already';
  if (!hasGo()) return 'left out: go is not installed';
  const { folder, target, mainPackage } = peerSource(name);
  const started = Date.now();
  console.log(`… ${name}: building, which takes minutes the first time`);
  const { status, stderr, error } = spawnSync('go', ['build', '-o', `${target}.partial`, mainPackage], {
    cwd: folder,
    encoding: 'utf8',
    timeout: BUILD_MS_MAX,
    // The sums of every module are in go.sum: nothing else has to be asked whether they are right.
    env: { ...process.env, GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local' },
  });
  if (status !== 0) return `left out: ${(error?.message ?? stderr).trim().split('\n').slice(-3).join(' ')}`;
  spawnSync('mv', [`${target}.partial`, target]);
  return `built in ${Math.round((Date.now() - started) / 1_000)} s`;
}

for (const name of PEER_NAMES) console.log(`${peerPath(name) === undefined ? '·' : '✓'} ${name}: ${build(name)}`);

/** An engine that needs no daemon, its networks, Compose for it, and what a base image is made with. */
const ENGINE_PACKAGES = ['podman', 'runc', 'netavark', 'aardvark-dns', 'iptables', 'podman-compose', 'debootstrap'];

function install(packages: readonly string[]): void {
  if (process.env.CI !== 'true' || process.getuid?.() !== 0) return;
  const options = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  if (spawnSync('apt-get', ['update'], options).status !== 0) return;
  spawnSync('apt-get', ['install', '--yes', '--no-install-recommends', ...packages], options);
}

function prepareBrowser(): string {
  if (findBrowser() === undefined || findFirefox() === undefined) install(BROWSER_PACKAGES);
  const found = [findBrowser(), findFirefox()].flatMap((path) => path ?? []);
  if (found.length === BROWSER_PACKAGES.length) return found.join(', ');
  return `${found.join(', ')} left out: not both found. As root on Debian: apt-get install ${BROWSER_PACKAGES.join(' ')}`;
}

async function prepareContainers(): Promise<string> {
  if (findContainerEngine() === undefined) install(ENGINE_PACKAGES);
  const engine = findContainerEngine();
  if (engine === undefined)
    return `left out: no engine. As root on Debian: apt-get install ${ENGINE_PACKAGES.join(' ')}`;
  const base = await provideBaseImage(engine).catch((error: unknown) => String(error));
  return `${engine.name}, base image ${base ?? 'left out: neither a registry of images nor debootstrap'}`;
}

console.log(`· browsers: ${prepareBrowser()}`);
console.log(`· containers: ${await prepareContainers()}`);

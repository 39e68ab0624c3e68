// Builds the peers that the interop suites and benchmarks run against, each at the version its go.mod pins, once per machine.
// Never fails: a peer that cannot be built is named, and the suites that need it are left out by name.
import { spawnSync } from 'node:child_process';
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

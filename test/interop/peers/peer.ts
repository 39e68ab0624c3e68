import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Programs of others that ours stands beside, each built from the sources its go.mod pins (`npm run peers`). */
export const PEER_NAMES = ['go-exporter', 'telemetrygen', 'grpcurl', 'deploy-reader', 'otelcol', 'jaeger'] as const;

/** One of them. */
export type PeerName = (typeof PEER_NAMES)[number];

const mainPackages: Readonly<Record<PeerName, string>> = {
  'go-exporter': '.',
  telemetrygen: 'github.com/open-telemetry/opentelemetry-collector-contrib/cmd/telemetrygen',
  grpcurl: 'github.com/fullstorydev/grpcurl/cmd/grpcurl',
  'deploy-reader': '.',
  otelcol: '.',
  jaeger: 'github.com/jaegertracing/jaeger/cmd/jaeger',
};

/** Programs of ours around a module of others, by the module whose version counts. */
const ownPrograms: Readonly<Partial<Record<PeerName, string>>> = {
  'go-exporter': 'go.opentelemetry.io/otel/sdk',
  'deploy-reader': 'github.com/moby/buildkit',
  otelcol: 'go.opentelemetry.io/collector/otelcol',
};

/** Where a peer is built from, and to. */
export interface PeerSource {
  readonly folder: string;
  readonly mainPackage: string;
  /** Path of the program, named after a digest of its sources. */
  readonly target: string;
}

/** Where a peer is built from, and to. */
export function peerSource(name: PeerName): PeerSource {
  const folder = new URL(`${name}/`, import.meta.url).pathname;
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort()) {
    if (/\.(?:go|mod|sum)$/.test(file)) hash.update(readFileSync(join(folder, file)));
  }
  const { XDG_CACHE_HOME: cache } = process.env;
  const root = join(cache === undefined || cache === '' ? join(homedir(), '.cache') : cache, 'reenact', 'peers');
  mkdirSync(root, { recursive: true });
  return { folder, mainPackage: mainPackages[name], target: join(root, `${name}-${hash.digest('hex').slice(0, 16)}`) };
}

/** Path of a peer that has been built; undefined where it has not, and whoever needs it is left out by name. */
export function peerPath(name: PeerName): string | undefined {
  const { target } = peerSource(name);
  return existsSync(target) ? target : undefined;
}

/** Version a peer's go.mod pins. */
export function peerVersion(name: PeerName): string {
  const { folder } = peerSource(name);
  const [module] = name in ownPrograms ? [ownPrograms[name]] : mainPackages[name].split('/cmd/');
  const text = readFileSync(join(folder, 'go.mod'), 'utf8');
  const versions = text.split('\n').map((line) =>
    line
      .trim()
      .replace(/^require /, '')
      .split(' '),
  );
  return versions.find(([path]) => path === module || path === mainPackages[name])?.[1] ?? 'unknown';
}

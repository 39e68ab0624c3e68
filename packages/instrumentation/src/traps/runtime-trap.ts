import { OLDEST_NODE_VERSION } from '../limits.ts';
import { trapLog } from './trap-log.ts';

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = than.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

/** Reports a runtime that recording does not stand on: a Node.js that is too old, or what only says that it is one. */
export function reportRuntime({ node, bun, deno }: NodeJS.ProcessVersions): void {
  if (bun !== undefined) trapLog.report('old-runtime', `Bun ${bun}`);
  else if (deno !== undefined) trapLog.report('old-runtime', `Deno ${deno}`);
  else if (isOlder(node, OLDEST_NODE_VERSION)) trapLog.report('old-runtime', `Node.js ${node}`);
}

import type * as files from 'node:fs';
import { createRequire } from 'node:module';

// Every Node.js that knows --import can read this file, and it imports nothing else: what it loads has imports that an older one
// answers with a bare SyntaxError before a line of it runs. By `require`, which is done when it returns.
const require = createRequire(import.meta.url);

/** The oldest Node.js that everything works on. */
const VERSION_MIN = [22, 19] as const;

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > VERSION_MIN[0] || (major === VERSION_MIN[0] && minor >= VERSION_MIN[1]);
}

/** The name of a runtime that says it is a Node.js, and lacks what recording and the guard of a replay stand on. */
function otherRuntime({ bun, deno }: NodeJS.ProcessVersions): string | undefined {
  if (bun !== undefined) return `Bun ${bun}`;
  return deno === undefined ? undefined : `Deno ${deno}`;
}

/** Leaves the reason where the driver looks for it (`refusalIn` of the replay's directory), which else takes what ran for real. */
function tellDriver(reason: string): void {
  try {
    const { writeFileSync }: typeof files = require('node:fs');
    writeFileSync(`${process.env.REENACT_REPLAY}/refused.txt`, reason, { mode: 0o600 });
  } catch {
    // It stands on standard error as well.
  }
}

/** A replay must not let the agent run live; recording must never stop its host. */
function goOnWithout(reason: string): void {
  const isReplayed = process.env.REENACT_REPLAY !== undefined;
  const after = isReplayed ? 'Nothing was replayed.' : 'This process runs on and is not recorded.';
  process.stderr.write(`reenact: ${reason} ${after}\n`);
  if (!isReplayed) return;
  tellDriver(reason);
  process.exit(2);
}

// Never called. What copies a program's files to where it is deployed, as Next.js does for `output: 'standalone'`, finds them by reading
// imports, and none by the `require` below.
void (() => import('./register-process.ts'));

/** What a worker thread of a replay was given to load first, which sets it up. */
const threadHook = process.execArgv.find((flag) => /^--require=.*[/\\]register-thread\.[jt]s$/.test(flag));
const other = otherRuntime(process.versions);
if (threadHook !== undefined) require(threadHook.slice('--require='.length));
else if (other === undefined && isNewEnough(process.versions.node)) {
  try {
    require(import.meta.url.endsWith('.ts') ? './register-process.ts' : './register-process.js');
  } catch (thrown) {
    // A part of the installation is missing.
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    goOnWithout(`it could not be loaded: ${why.replace(/\.$/, '')}.`);
  }
} else {
  goOnWithout(`Node.js ${VERSION_MIN.join('.')} or newer is needed, and this is ${other ?? process.versions.node}.`);
}

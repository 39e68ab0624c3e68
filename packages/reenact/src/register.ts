import { createRequire } from 'node:module';

// Every Node.js that knows --import can read this file, and it imports nothing else: what it loads has imports that an older one
// answers with a bare SyntaxError before a line of it runs. By `require`, which is done when it returns.

/** The oldest Node.js that everything works on. */
const VERSION_MIN = [22, 19] as const;

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > VERSION_MIN[0] || (major === VERSION_MIN[0] && minor >= VERSION_MIN[1]);
}

if (isNewEnough(process.versions.node)) {
  createRequire(import.meta.url)(import.meta.url.endsWith('.ts') ? './register-process.ts' : './register-process.js');
} else {
  process.stderr.write(
    `reenact: Node.js ${VERSION_MIN.join('.')} or newer is needed, and this is ${process.versions.node}. `,
  );
  // A replay must not let the agent run live; recording must never stop its host.
  const isReplayed = process.env.REENACT_REPLAY !== undefined;
  process.stderr.write(isReplayed ? 'Nothing was replayed.\n' : 'This process runs on and is not recorded.\n');
  if (isReplayed) process.exit(2);
}

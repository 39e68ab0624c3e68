import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guarded, membersOf, stringOf } from '@reenact/instrumentation';
import { Hook } from 'require-in-the-middle';

/** Told that CommonJS code has loaded a module of the SDK. */
export type RequiredListener = (
  moduleExports: unknown,
  className: 'Client' | 'Server',
  version: string | undefined,
) => void;

const sdk = '@modelcontextprotocol/sdk';
const classNames = { client: 'Client', server: 'Server' } as const;
const sides = ['client', 'server'] as const;

/** How a side of the SDK can be called by `require`: by its specifiers, or by its file, without `/index.js`. */
function namesOf(side: (typeof sides)[number]): string[] {
  return [`${sdk}/${side}`, `${sdk}/${side}/index.js`, `${sdk}/dist/cjs/${side}`];
}

function versionOf(folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  return guarded(
    'reading the version of the MCP SDK',
    () => stringOf(membersOf(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).version),
    undefined,
  );
}

/**
 * Watches CommonJS code load the SDK. OpenTelemetry's own hook gives up on this package, whose main module does not exist;
 * one that names its modules does not. Returns how to stop.
 */
export function watchRequiredSdk(listener: RequiredListener): () => void {
  const hook = new Hook(sides.flatMap(namesOf), { internals: true }, (moduleExports, name, folder) => {
    const side = sides.find((item) => namesOf(item).includes(name));
    if (side !== undefined) listener(moduleExports, classNames[side], versionOf(folder));
    return moduleExports;
  });
  return () => hook.unhook();
}

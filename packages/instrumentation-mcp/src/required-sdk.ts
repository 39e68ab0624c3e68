import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guarded, membersOf, stringOf } from '@reenact/instrumentation';
import { Hook } from 'require-in-the-middle';

type RequiredClass = 'Client' | 'Server' | 'StdioClientTransport';

/** Told that CommonJS code has loaded a module of the SDK. */
export type RequiredListener = (moduleExports: unknown, className: RequiredClass, version: string | undefined) => void;

const sdk = '@modelcontextprotocol/sdk';

/** How a module of the SDK can be called by `require`: by its specifiers, or by its file, without `/index.js`. */
const classNames: ReadonlyMap<string, RequiredClass> = new Map(
  (
    [
      ['client', '/index.js', 'Client'],
      ['server', '/index.js', 'Server'],
      ['client/stdio', '.js', 'StdioClientTransport'],
    ] as const
  ).flatMap(([path, end, className]) =>
    [`${sdk}/${path}`, `${sdk}/${path}${end}`, `${sdk}/dist/cjs/${path}`].map((name) => [name, className] as const),
  ),
);

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
  const hook = new Hook([...classNames.keys()], { internals: true }, (moduleExports, name, folder) => {
    const className = classNames.get(name);
    if (className !== undefined) listener(moduleExports, className, versionOf(folder));
    return moduleExports;
  });
  return () => hook.unhook();
}

// Whole: a runtime that lacks one of its functions fails at an import of that by name, and with it the app that imports this.
import * as modules from 'node:module';
import { pathToFileURL } from 'node:url';
import { guarded } from './report-failure.ts';

const HOOKED = Symbol.for('reenact.es-modules-hooked.1');

/** Libraries whose ES module copies are patched on import; everything else loads untouched. */
const libraries = [
  '@anthropic-ai/sdk',
  'openai',
  'undici',
  '@grpc/grpc-js',
  'ai',
  '@ai-sdk/provider-utils',
  /\/@modelcontextprotocol\/(?:sdk\/dist\/esm\/(?:client|server)\/index\.js|(?:client|server)\/dist\/index\.mjs)$/,
];

/** What Turbopack puts behind the name of a package that stays outside its bundle: it links that name to the package and imports it. */
const LINK_SUFFIX = /-[0-9a-f]{16}$/;

type Resolve = NonNullable<modules.RegisterHooksOptions['resolve']>;

/** What import-in-the-middle makes; it has no types of its own. */
interface ImportHook {
  applyOptions(options: { readonly include: typeof libraries }): void;
  readonly resolveSync: Resolve;
  readonly loadSync: NonNullable<modules.RegisterHooksOptions['load']>;
}

interface HookModule {
  createHook(meta: { readonly url: string }): ImportHook;
  supportsSyncHooks(): boolean;
}

/** Shows `resolve` a linked package of ours by its own name, by which it and the patches know it; what is loaded is what was asked for. */
function seeingThroughLinks(resolve: Resolve): Resolve {
  return (specifier, context, nextResolve) => {
    const name = specifier.replace(LINK_SUFFIX, '');
    if (name === specifier || !libraries.includes(name)) return resolve(specifier, context, nextResolve);
    return resolve(name, context, (asked, inContext) => nextResolve(asked === name ? specifier : asked, inContext));
  };
}

function hook(): void {
  // What a bundler put into one file of CommonJS has no place of its own, and what it would hook is in the same file.
  const ownUrl = import.meta.url as string | undefined;
  if (ownUrl === undefined) return;
  // Loaded when it is needed: it brings parsers with it that a CommonJS app has no use for.
  const load = modules.createRequire(ownUrl);
  const { createHook, supportsSyncHooks } = load('import-in-the-middle/create-hook.mjs') as HookModule;
  // Older patch releases of Node need the loader thread.
  if (!supportsSyncHooks()) {
    modules.register('import-in-the-middle/hook.mjs', ownUrl, { data: { include: libraries } });
    return;
  }
  // A hook of our own and not the package's only one: that would be refused to the app, or to whoever comes second.
  const own = createHook({ url: pathToFileURL(load.resolve('import-in-the-middle/hook.mjs')).href });
  own.applyOptions({ include: libraries });
  modules.registerHooks({ resolve: seeingThroughLinks(own.resolveSync), load: own.loadSync });
}

/**
 * Lets the supported libraries be patched where they are loaded as ES modules from now on. Every instrumentation calls it when it is
 * enabled, so that an app needs no loader flag; beside OpenTelemetry's own loader hook it changes nothing. Once per process, not
 * where REENACT_DISABLED=1 says so, and never throws.
 */
export function hookEsModules(): void {
  const holder = globalThis as { [HOOKED]?: true };
  if (holder[HOOKED] === true || process.env.REENACT_DISABLED === '1') return;
  Object.defineProperty(holder, HOOKED, { value: true });
  guarded('hooking ES modules', hook, undefined);
}

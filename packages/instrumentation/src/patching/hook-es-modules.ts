// Whole: a runtime that lacks one of its functions fails at an import of that by name, and with it the app that imports this.
import * as modules from 'node:module';
import { pathToFileURL } from 'node:url';
import { isSwitchedOffByUs } from '../host/is-switched-off.ts';
import { guarded } from '../host/report-failure.ts';
import { HooksBesideOthers } from './beside-other-hooks.ts';
import { FedRegisters } from './fed-registers.ts';

const HOOKED = Symbol.for('reenact.es-modules-hooked.2');

/** Libraries whose ES module copies are patched on import; everything else loads untouched. */
const libraries = [
  '@anthropic-ai/sdk',
  'openai',
  'undici',
  '@grpc/grpc-js',
  'ai',
  '@ai-sdk/provider-utils',
  /\/@bufbuild\/protobuf\/dist\/esm\/codegenv2\/file\.js$/,
  /\/@modelcontextprotocol\/(?:sdk\/dist\/esm\/(?:(?:client|server)\/index|client\/stdio)\.js|(?:client|server)\/dist\/index\.mjs|client\/dist\/stdio\.mjs)$/,
  /\/@ai-sdk\/mcp\/dist\/mcp-stdio\/index\.m?js$/,
];

/** What Turbopack puts behind the name of a package that stays outside its bundle: it links that name to the package and imports it. */
const LINK_SUFFIX = /-[0-9a-f]{16}$/;

type Resolve = NonNullable<modules.RegisterHooksOptions['resolve']>;
type Load = NonNullable<modules.RegisterHooksOptions['load']>;

/** What import-in-the-middle makes; it has no types of its own. */
interface ImportHook {
  applyOptions(options: { readonly include: typeof libraries }): void;
  readonly resolveSync: Resolve;
  readonly loadSync: Load;
}

interface HookModule {
  createHook(meta: { readonly url: string }): ImportHook;
  supportsSyncHooks(): boolean;
}

/** Main modules of these packages: what resolves for itself, as Vitest and Vite's server do, imports them by the address of the file. */
const MAIN_MODULE =
  /\/node_modules\/(?:(?<root>openai|@anthropic-ai\/sdk|undici)\/index\.m?js|(?<dist>ai|@ai-sdk\/provider-utils)\/dist\/index\.m?js|(?<build>@grpc\/grpc-js)\/build\/src\/index\.js)$/;

/** The package of ours that is asked for in another way than by its name; undefined for all else. */
function packageOf(specifier: string): string | undefined {
  const linked = specifier.replace(LINK_SUFFIX, '');
  if (linked !== specifier) return libraries.includes(linked) ? linked : undefined;
  const { root, dist, build } = MAIN_MODULE.exec(specifier)?.groups ?? {};
  return root ?? dist ?? build;
}

/**
 * Shows `resolve` a package of ours by its own name, by which it and the patches know it; what is loaded is what was asked for. Not the program
 * itself: import-in-the-middle takes it for CommonJS where its ending is one that only a compiler of the app knows, which is then passed by.
 */
function byName(resolve: Resolve): Resolve {
  return (specifier, context, nextResolve) => {
    if ((context.parentURL ?? '') === '') return nextResolve(specifier, context);
    const name = packageOf(specifier);
    if (name === undefined) return resolve(specifier, context, nextResolve);
    return resolve(name, context, (asked, inContext) => nextResolve(asked === name ? specifier : asked, inContext));
  };
}

/**
 * import-in-the-middle takes what has no parent for the program itself, and CommonJS where it has no ending. So is a platform module that a
 * script of `--eval` finds as a global (`module`): it would be looked for as a file, and end the script.
 */
function knowingPlatformModules(load: Load): Load {
  return (url, context, nextLoad) => {
    const isMistaken = context.format === 'commonjs' && modules.isBuiltin(url);
    return load(url, isMistaken ? { ...context, format: 'builtin' } : context, nextLoad);
  };
}

/** Hooks ES modules; gives what feeds the patches of other copies, or undefined where nothing can be hooked. */
function hook(): FedRegisters | undefined {
  // What a bundler put into one file of CommonJS has no place of its own, and what it would hook is in the same file.
  const ownUrl = import.meta.url as string | undefined;
  if (ownUrl === undefined) return undefined;
  // Loaded when it is needed: it brings parsers with it that a CommonJS app has no use for.
  const load = modules.createRequire(ownUrl);
  const { createHook, supportsSyncHooks } = load('import-in-the-middle/create-hook.mjs') as HookModule;
  const registers = new FedRegisters(load);
  // Older patch releases of Node need the loader thread.
  if (!supportsSyncHooks()) {
    modules.register('import-in-the-middle/hook.mjs', ownUrl, { data: { include: libraries } });
    return registers;
  }
  // A hook of our own and not the package's only one: that would be refused to the app, or to whoever comes second.
  const hookUrl = pathToFileURL(load.resolve('import-in-the-middle/hook.mjs')).href;
  const own = createHook({ url: hookUrl });
  own.applyOptions({ include: libraries });
  const hooks = { resolve: byName(own.resolveSync), load: knowingPlatformModules(own.loadSync) };
  const place = {
    createHookUrl: new URL('create-hook.mjs', hookUrl).href,
    registerUrl: new URL('lib/register.js', hookUrl).href,
  };
  const { resolve, load: loadModule } = new HooksBesideOthers(hooks, place);
  modules.registerHooks({ resolve, load: loadModule });
  return registers;
}

/** What the process has of it, whichever copy of this package came first. */
interface Hooked {
  registers: FedRegisters | undefined;
}

/**
 * Lets the supported libraries be patched where they are loaded as ES modules from now on. Every instrumentation calls it when it is
 * enabled, with its own `import.meta.url`, so that an app needs no loader flag and it does not matter where a package manager puts
 * what the instrumentation is made with; beside loader hooks of others it changes nothing for them. Hooks once per process, not
 * where REENACT_DISABLED says so and nothing is replayed (what is to be answered must be patched), and never throws.
 */
export function hookEsModules(patchesUrl?: string): void {
  if (isSwitchedOffByUs(process.env) && process.env.REENACT_REPLAY === undefined) return;
  const holder = globalThis as { [HOOKED]?: Hooked };
  if (holder[HOOKED] === undefined) {
    const hooked: Hooked = { registers: undefined };
    Object.defineProperty(holder, HOOKED, { value: hooked });
    hooked.registers = guarded('hooking ES modules', hook, undefined);
  }
  // What a bundler put into one file of CommonJS has no address.
  if (patchesUrl === undefined || patchesUrl === '') return;
  guarded('hooking ES modules for a package', () => holder[HOOKED]?.registers?.add(patchesUrl), undefined);
}

import { readFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import vm from 'node:vm';

/** What a test runner that isolates its files does, such as Jest: a context and a copy of every module for each, the platform's shared. */
class OwnContext {
  private readonly context = vm.createContext({});
  private readonly modules = new Map<string, Promise<vm.Module>>();
  private readonly required = new Map<string, { exports: unknown }>();

  constructor() {
    const inside = vm.runInContext('globalThis', this.context) as object;
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      if (name === 'global') Object.defineProperty(inside, name, { value: inside });
      // Getters of the platform want the global object that they are of.
      else if (!Object.hasOwn(inside, name)) {
        Object.defineProperty(inside, name, {
          get: () => Reflect.get(globalThis, name),
          set: (value) => Object.defineProperty(inside, name, { value, writable: true, configurable: true }),
          configurable: true,
        });
      }
    }
  }

  async run(url: string): Promise<void> {
    const module = await this.load(url);
    if (module.status === 'unlinked')
      await module.link((name, { identifier }) => this.load(resolved(name, identifier)));
    await module.evaluate();
  }

  private load(url: string): Promise<vm.Module> {
    const known = this.modules.get(url);
    if (known !== undefined) return known;
    const isModule = !isBuiltin(url) && !url.includes('/node_modules/');
    const made = isModule ? this.sourceModule(url) : this.exportsOf(url, this.require(url));
    this.modules.set(url, made);
    return made;
  }

  private async sourceModule(identifier: string): Promise<vm.Module> {
    return new vm.SourceTextModule(await readFile(new URL(identifier), 'utf8'), {
      context: this.context,
      identifier,
      initializeImportMeta: (meta) => Object.assign(meta, { url: identifier }),
      importModuleDynamically: ((name: string) => import(name)) as never,
    });
  }

  private async exportsOf(identifier: string, exported: unknown): Promise<vm.Module> {
    const members = { ...(exported as object), default: exported };
    const module = new vm.SyntheticModule(
      Object.keys(members),
      function give() {
        for (const [name, value] of Object.entries(members)) this.setExport(name, value);
      },
      { context: this.context, identifier },
    );
    return module;
  }

  private require(url: string): unknown {
    if (isBuiltin(url)) return createRequire(import.meta.url)(url);
    const known = this.required.get(url);
    if (known !== undefined) return known.exports;
    const module = { exports: {} as unknown };
    this.required.set(url, module);
    const path = fileURLToPath(url);
    const source = createRequire(import.meta.url)('node:fs').readFileSync(path, 'utf8') as string;
    if (path.endsWith('.json')) {
      module.exports = JSON.parse(source);
      return module.exports;
    }
    const body = vm.compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'], {
      parsingContext: this.context,
      filename: path,
    });
    const require = Object.assign((name: string) => this.require(resolved(name, url)), { cache: {} });
    body(module.exports, require, module, path, dirname(path));
    return module.exports;
  }
}

function resolved(name: string, from: string): string {
  if (isBuiltin(name)) return name;
  return pathToFileURL(createRequire(from).resolve(name)).href;
}

/** How much copies of the packages share in this process. */
function sharedCount(): number {
  const shared = Object.getOwnPropertySymbols(globalThis)
    .filter((key) => String(key).startsWith('Symbol(reenact.'))
    .map((key): unknown => Reflect.get(globalThis, key));
  const lists = shared.filter((value) => value instanceof Set || value instanceof Map);
  return lists.reduce((total, { size }) => total + size, 0);
}

const counts: number[] = [];
const hook = join(dirname(createRequire(import.meta.url).resolve('reenact/register')), 'register-process.js');
for (const file of ['one', 'two', 'three']) {
  process.env.TEST_FILE = file;
  const own = new OwnContext();
  if (process.env.HOOKED !== 'outside') await own.run(pathToFileURL(hook).href);
  await own.run(new URL('in-own-context.mjs', import.meta.url).href);
  counts.push(sharedCount());
}
console.log(JSON.stringify(counts));

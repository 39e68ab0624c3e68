import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A module that was wrapped: its address, what stands for its exports, what was asked for, and its format. */
type WrappedModule = readonly [url: string, namespace: object, specifier: string, format?: string];

/** What a copy of import-in-the-middle keeps: who patches by it, and what it was told is loaded. */
interface HookRegister {
  readonly importHooks: ((...module: WrappedModule) => void)[];
  readonly toHook: WrappedModule[];
  readonly specifiers: Map<string, string>;
}

/** Patches of `other` are told of every module that `own` wraps, but of those that a loader hook of its own has wrapped for it already. */
function feed(own: HookRegister, other: HookRegister): void {
  const tell = (...module: WrappedModule): void => {
    const [url, , specifier] = module;
    if (other.specifiers.has(url)) return;
    other.specifiers.set(url, specifier);
    // Who patches from now on is told of it, too.
    other.toHook.push(module);
    for (const patch of [...other.importHooks]) patch(...module);
  };
  own.importHooks.push(tell);
  for (const module of [...own.toHook]) tell(...module);
}

const REGISTER = 'import-in-the-middle/lib/register.js';

/** The copy that patches go by which are made with the OpenTelemetry that is found from `patchesUrl`; undefined in a bundle, which brings its own. */
function registerOf(patchesUrl: string, load: NodeJS.Require): HookRegister | undefined {
  try {
    const made = load.resolve('@opentelemetry/instrumentation', { paths: [dirname(fileURLToPath(patchesUrl))] });
    return load(load.resolve(REGISTER, { paths: [dirname(made)] })) as HookRegister;
  } catch {
    return undefined;
  }
}

/**
 * Lets one loader hook serve the patches of several copies of import-in-the-middle. Where an app has an older one at the top, as
 * instrumentations of other vendors bring it, npm gives each of our packages a copy of its own, and each knows its own patches only.
 */
export class FedRegisters {
  private readonly own: HookRegister;
  private readonly fed: Set<HookRegister>;
  private readonly load: NodeJS.Require;

  /** `load`: finds and loads what lies beside the loader hook. */
  constructor(load: NodeJS.Require) {
    this.load = load;
    this.own = load(REGISTER) as HookRegister;
    this.fed = new Set([this.own]);
  }

  /** Feeds the copy that the patches of a package go by, which `patchesUrl` is a module of. */
  add(patchesUrl: string): void {
    const other = registerOf(patchesUrl, this.load);
    if (other === undefined || this.fed.has(other)) return;
    this.fed.add(other);
    feed(this.own, other);
  }
}

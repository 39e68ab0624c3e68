import type { RegisterHooksOptions } from 'node:module';
import { callingFiles } from '../source-line.ts';

type Resolve = NonNullable<RegisterHooksOptions['resolve']>;
type Load = NonNullable<RegisterHooksOptions['load']>;
type Loaded = ReturnType<Load>;
type Resolved = ReturnType<Resolve>;

/** The two hooks of one copy of import-in-the-middle. */
export interface ModuleHooks {
  readonly resolve: Resolve;
  readonly load: Load;
}

/** What every copy of import-in-the-middle puts into the address of a module that it wraps, and what ours puts there instead. */
const THEIRS = /([?&])iitm=/;
const OURS = /([?&])iitm-reenact=/;

const isTheirs = (url: string | undefined): boolean => url !== undefined && THEIRS.test(url);
const isOurs = (url: string): boolean => OURS.test(url) && !isTheirs(url);
const asOurs = (url: string): string => url.replace(THEIRS, '$1iitm-reenact=');
const asKnown = (url: string): string => url.replace(OURS, '$1iitm=');

/** The address of a module without the marks of either. */
function plain(url: string): string {
  if (!THEIRS.test(url) && !OURS.test(url)) return url;
  const address = new URL(url);
  address.searchParams.delete('iitm');
  address.searchParams.delete('iitm-reenact');
  return address.href;
}

function textOf({ source }: Loaded): string {
  if (source === undefined || source === null) return '';
  return typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString();
}

/** Of the frames around a resolution, how many are looked at: each hook that stands further out has one or two. */
const FRAMES_AROUND_MAX = 24;

/** Where a copy of import-in-the-middle lies: what makes hooks, and to what wrapped modules say that they are there. */
export interface CopyPlace {
  readonly createHookUrl: string;
  readonly registerUrl: string;
}

/**
 * The hooks of a copy of import-in-the-middle that leave those of others at work, which agents of other vendors bring: each copy takes a module
 * that has the common mark for one that it has wrapped itself, so that of two copies only one would reach its patches. Ours goes by
 * a mark of its own, and wraps what others have wrapped. Hooks of the same copy call the same patches: of those one is enough.
 */
export class HooksBesideOthers {
  /** Modules that a hook further in wraps as well, by the address without marks. */
  private readonly wrappedInside = new Map<string, string>();
  /** Of these, the ones whose wrapper calls our patches. */
  private readonly sharedInside = new Set<string>();
  /** Modules that a hook of the same copy further out knows by the common mark. */
  private readonly sharedOutside = new Set<string>();
  /** Who stands further out looks at a module before it is loaded, and a wrapper is made once. */
  private readonly made = new Map<string, Loaded>();
  private readonly own: ModuleHooks;
  private readonly place: CopyPlace;

  constructor(own: ModuleHooks, place: CopyPlace) {
    this.own = own;
    this.place = place;
  }

  readonly resolve: Resolve = (specifier, context, nextResolve) => {
    const { parentURL } = context;
    // A wrapper asks for what it wraps: that of others for what is not to be wrapped once more.
    if (isTheirs(parentURL)) return nextResolve(specifier, context);
    if (parentURL !== undefined && isOurs(parentURL)) return this.askedByUs(specifier, context, nextResolve);
    let found: Resolved | undefined;
    const resolved = this.own.resolve(asKnown(specifier), context, (asked, inContext) => {
      found = nextResolve(asked, inContext);
      return isTheirs(found.url) ? { ...found, url: plain(found.url) } : found;
    });
    if (!isTheirs(resolved.url)) return found === undefined ? resolved : { ...resolved, url: found.url };
    const address = plain(resolved.url);
    if (found !== undefined && isTheirs(found.url)) this.wrappedInside.set(address, found.url);
    if (this.sharedOutside.has(address) || this.isAskedBySameCopy()) {
      this.sharedOutside.add(address);
      return resolved;
    }
    return { ...resolved, url: asOurs(resolved.url) };
  };

  readonly load: Load = (url, context, nextLoad) => {
    if (isTheirs(url) && !this.sharedOutside.has(plain(url))) return this.made.get(url) ?? nextLoad(url, context);
    if (isTheirs(url) || isOurs(url)) return this.ownWrapper(url, context, nextLoad);
    let native: Loaded | undefined;
    const loaded = this.own.load(url, context, (asked, inContext) => {
      native = nextLoad(asked, inContext);
      return native;
    });
    return loaded === native ? loaded : this.withOwnBindings(loaded);
  };

  private askedByUs(...[specifier, context, nextResolve]: Parameters<Resolve>): Resolved {
    if (specifier === this.place.registerUrl) return { url: specifier, shortCircuit: true };
    if (isOurs(specifier)) return { url: specifier, format: 'module', shortCircuit: true };
    const wrapped = this.wrappedInside.get(specifier);
    if (wrapped !== undefined && !this.sharedInside.has(specifier))
      return { url: wrapped, format: 'module', shortCircuit: true };
    const found = nextResolve(specifier, context);
    return isTheirs(found.url) ? { ...found, url: plain(found.url) } : found;
  }

  private ownWrapper(...[url, context, nextLoad]: Parameters<Load>): Loaded {
    const before = this.made.get(url);
    if (before !== undefined) return before;
    const loaded = this.sharedWrapper(url, context, nextLoad) ?? this.own.load(asKnown(url), context, nextLoad);
    const made = this.withOwnBindings(loaded);
    this.made.set(url, { ...made, shortCircuit: true });
    return made;
  }

  /** The wrapper that a hook further in makes of the same module, where it calls our patches; any other is kept for when it is asked for. */
  private sharedWrapper(...[url, context, nextLoad]: Parameters<Load>): Loaded | undefined {
    const address = plain(url);
    const wrapped = this.wrappedInside.get(address);
    if (wrapped === undefined) return undefined;
    const theirs = this.made.get(wrapped) ?? nextLoad(wrapped, context);
    if (textOf(theirs).includes(JSON.stringify(this.place.registerUrl))) {
      this.sharedInside.add(address);
      return theirs;
    }
    this.made.set(wrapped, { ...theirs, shortCircuit: true });
    return undefined;
  }

  /** A module of a cycle asks for the bindings that its wrapper keeps apart, by the mark that the wrapper goes by. */
  private withOwnBindings(loaded: Loaded): Loaded {
    const { source } = loaded;
    if (this.sharedOutside.size > 0 || typeof source !== 'string' || !source.includes('?iitm=bindings"')) return loaded;
    return { ...loaded, source: source.replaceAll('?iitm=bindings"', '?iitm-reenact=bindings"') };
  }

  private isAskedBySameCopy(): boolean {
    return callingFiles(this.resolve, FRAMES_AROUND_MAX).includes(this.place.createHookUrl);
  }
}

import { membersOf, stringOf } from '../view/members.ts';
import type { StainlessLibrary } from './stainless-library.ts';

/** `<package>@<version>` from the version of the loaded package. */
export function sdkOfVersion({ name }: StainlessLibrary, version: string | undefined): string | undefined {
  return version === undefined ? undefined : `${name}@${version}`;
}

/** The same as the client itself names its version in its user agent; undefined where it does not. Never throws. */
export function sdkOfClient(library: StainlessLibrary, client: object): string | undefined {
  try {
    const { getUserAgent } = membersOf(client);
    const agent = typeof getUserAgent === 'function' ? stringOf(Reflect.apply(getUserAgent, client, [])) : undefined;
    return sdkOfVersion(library, agent === undefined ? undefined : /\/JS (\d\S*)$/.exec(agent)?.[1]);
  } catch {
    return undefined;
  }
}

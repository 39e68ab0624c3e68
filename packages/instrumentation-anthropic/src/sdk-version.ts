import { membersOf, stringOf } from '@reenact/instrumentation';

/** `@anthropic-ai/sdk@<version>` from the version of the loaded package. */
export function sdkOfVersion(version: string | undefined): string | undefined {
  return version === undefined ? undefined : `@anthropic-ai/sdk@${version}`;
}

/** The same as the client itself names it in its user agent; undefined where it does not. Never throws. */
export function sdkOfClient(client: object): string | undefined {
  try {
    const { getUserAgent } = membersOf(client);
    const agent = typeof getUserAgent === 'function' ? stringOf(Reflect.apply(getUserAgent, client, [])) : undefined;
    return sdkOfVersion(agent === undefined ? undefined : /\/JS (\d\S*)$/.exec(agent)?.[1]);
  } catch {
    return undefined;
  }
}

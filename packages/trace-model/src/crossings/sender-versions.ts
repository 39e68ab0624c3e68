import { USER_AGENT_CHARACTERS_MAX } from '../limits.ts';

/** What a user agent calls itself, and the version: `ai/7.0.173`, `OpenAI/JS 7.59.0`, `ai-sdk/openai/4.0.118`. */
const product = /(?<![\w@./-])(@?[A-Za-z][\w.-]*(?:\/[A-Za-z][\w.-]*)*)[/ ]v?(\d+\.\d+[\w.+-]*)(?=$|[\s,;()])/g;
/** The runtime says its own version, which the recording holds beside the calls. */
const runtime = /(?:^|\/)(?:node(?:\.?js)?|v8|undici)$/i;

/**
 * The versions of those that made a request, by name: the packages of its client, as they say themselves in its headers. The SDKs of
 * OpenAI and Anthropic say theirs in a header that names nobody, too: kept under '' where the user agent is somebody else's.
 */
export function senderVersions(pairs: Iterable<readonly [string, string]>): Record<string, string> {
  const versions = new Map<string, string>();
  let unnamed: string | undefined;
  for (const [name, value] of pairs) {
    const header = name.toLowerCase();
    if (header === 'x-stainless-package-version') unnamed = value;
    if (header !== 'user-agent') continue;
    for (const [, sender = '', version = ''] of value.slice(0, USER_AGENT_CHARACTERS_MAX).matchAll(product)) {
      // Minor versions of the AI SDK say ai-sdk/openai or ai-sdk-openai of the same package.
      if (!runtime.test(sender)) versions.set(sender.replace(/^ai-sdk\//, 'ai-sdk-'), version);
    }
  }
  if (unnamed !== undefined && ![...versions.values()].includes(unnamed)) versions.set('', unnamed);
  return Object.fromEntries(versions);
}

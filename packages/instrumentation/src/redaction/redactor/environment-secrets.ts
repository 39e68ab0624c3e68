import { ENVIRONMENT_SECRETS_MAX } from '../../limits.ts';
import type { KnownSecrets } from '../rules/find-spans.ts';
import { isHarmlessValue, secrecyOfName } from '../text/secret-names.ts';

const plainWordsCharactersMin = 20;

/** Long enough, and mixed enough, not to be met by chance in what a model says. */
export function isTelling(value: string, charactersMin = 8): boolean {
  if (/^(?:\.{0,2}\/|[A-Za-z]:\\)/.test(value)) return false;
  if (value.length < charactersMin || value.length > 8_192 || isHarmlessValue(value)) return false;
  // Several words are met by chance where they are few and plain.
  return /\s/.test(value) ? /[^A-Za-z\s]/.test(value) || value.length >= plainWordsCharactersMin : /[^a-z]/.test(value);
}

/**
 * Values of environment variables whose names say that they are secrets. They are looked for wherever they turn up, since a
 * password has no form of its own. The redaction key is one of them.
 */
export function environmentSecrets(environment: NodeJS.ProcessEnv): KnownSecrets {
  const secrets = Object.entries(environment).flatMap(([name, given]) => {
    // Of what was read from a file the end of its line is left, which whoever uses it takes off.
    const value = given?.trim();
    // The shell's own folders.
    if (/^(?:OLD)?PWD$/.test(name)) return [];
    const isSecret = secrecyOfName(name) === 'secret' || /(?:_TOKEN|_KEY|_PASS|_PWD)$/.test(name);
    return isSecret && value !== undefined && isTelling(value) && !/(?:_FILE|_PATH|_DIR)$/.test(name) ? [value] : [];
  });
  return [...new Set(secrets)]
    .sort((left, right) => right.length - left.length)
    .slice(0, ENVIRONMENT_SECRETS_MAX)
    .map((text) => ({ text, rule: 'environment-secret' }));
}

import type { RedactionOptions } from '@reenact/instrumentation';
import { checkConfig } from './check-config.ts';
import { requireModule } from './load-module.ts';

/**
 * What a configuration file says about redaction, by the file's absolute path; undefined where it says nothing. It is done when
 * it returns, because a hook cannot wait: the file and what it imports may have no top-level await. Runs the file. Throws
 * ReenactError `bad-config` naming the file and the key.
 */
export function loadRedaction(path: string): RedactionOptions | undefined {
  return checkConfig(requireModule(path, path), path).redaction;
}

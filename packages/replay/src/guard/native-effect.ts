import { resolve } from 'node:path';
import type { NativeEffect } from '@reenact/instrumentation';
import type { AttemptedEffect } from './attempted-effect.ts';
import { databaseFileEffect } from './database-file-effect.ts';
import { realPath } from './real-path.ts';

function addressEffect(name: string, address: string): AttemptedEffect {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // Of a scheme that is not of the web, the port is part of what `URL` parses, and the host is as it was written.
  const port = url === undefined || url.port === '' ? undefined : Number(url.port);
  return { type: 'host', name, host: url?.hostname || address, port };
}

/** What a call into an add-on comes to, as the guard judges it; undefined where nothing outside of the process changes. */
export function nativeEffect(name: string, effect: NativeEffect): AttemptedEffect | undefined {
  switch (effect.type) {
    case 'file':
      return databaseFileEffect(name, effect.location);
    case 'write': {
      const path = resolve(effect.path);
      return { type: 'file', name, paths: [realPath(path)], target: path };
    }
    case 'address':
      return addressEffect(name, effect.address);
    case 'program':
      return { type: 'program', name, target: effect.program };
    case 'model':
      return { type: 'program', name, target: effect.call };
  }
}

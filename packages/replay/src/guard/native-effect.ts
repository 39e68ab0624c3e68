import { resolve } from 'node:path';
import { databaseFileEffect, type NativeEffect, realPath } from '@reenact/instrumentation';
import type { AttemptedEffect } from './attempted-effect.ts';

/** `postgres:host=db.example port=5433 password=…`: of such an address only these may be told. */
function settingOf(address: string, name: 'host' | 'port'): string | undefined {
  return new RegExp(`\\b${name}\\s*=\\s*'?([^\\s;']+)`, 'i').exec(address)?.[1];
}

/** What an address is called by that names no host: a database somewhere, without what follows its name. */
function nameOf(address: string): string {
  const [scheme = ''] = /^[a-z][a-z\d+.-]*:/i.exec(address) ?? [];
  return /[=\s]/.test(address.replace(/\?.*$/s, '')) ? scheme : address.replace(/\?.*$/s, '');
}

function addressEffect(name: string, address: string): AttemptedEffect {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // Of a scheme that is not of the web, the port is part of what `URL` parses, and the host is as it was written.
  const port = url?.port || settingOf(address, 'port');
  const host = url?.hostname || settingOf(address, 'host') || nameOf(address);
  return { type: 'host', name, host, port: port === undefined ? undefined : Number(port) };
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

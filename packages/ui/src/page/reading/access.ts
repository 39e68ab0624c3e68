/** What the page shows to a collector that wants it. */
export interface Access {
  readonly token: string;
  readonly tenant: string;
}

const KEY = 'reenact.access';

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What was given in this tab; it is forgotten with the tab. */
export function storedAccess(): Access {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    const { token, tenant } = Object(stored) as Record<string, unknown>;
    return { token: text(token), tenant: text(tenant) };
  } catch {
    return { token: '', tenant: '' };
  }
}

/** Remembers it for this tab, where the browser lets a page do so. */
export function storeAccess(access: Access): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(access));
  } catch {
    // It is asked for again after a reload.
  }
}

import { outboundSettings } from '../outbound/outbound-settings.ts';
import type { HttpInstrumentationConfig } from '../types.ts';
import { patchUndici } from './patch-undici.ts';

/** The copies of undici an app has loaded: each is patched by itself, and again after it was switched off. */
export class LoadedUndici {
  private readonly copies = new Map<unknown, (() => void) | undefined>();
  private config: HttpInstrumentationConfig | undefined;

  /** One more copy was loaded. */
  add(moduleExports: unknown): void {
    if (this.copies.has(moduleExports)) return;
    this.copies.set(moduleExports, undefined);
    this.patchAll();
  }

  /** Patches all copies, also those that come later. */
  enable(config: HttpInstrumentationConfig): void {
    this.config = config;
    this.patchAll();
  }

  /** Restores all copies. */
  disable(): void {
    this.config = undefined;
    for (const [copy, undo] of this.copies) {
      undo?.();
      this.copies.set(copy, undefined);
    }
  }

  private patchAll(): void {
    const { config } = this;
    if (config === undefined || config.outbound === false) return;
    for (const [copy, undo] of this.copies) {
      if (undo === undefined)
        this.copies.set(
          copy,
          patchUndici(
            copy,
            outboundSettings(config, () => this.config !== undefined),
          ),
        );
    }
  }
}

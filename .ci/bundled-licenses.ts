import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the package that a module belongs to; undefined for a module of this repository. */
function packageFolder(moduleId: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(moduleId)?.[0];
}

/**
 * The licenses of the packages whose modules are in a bundle, as they want it of whoever hands them on. Throws where a package brings no text of its license.
 */
export function bundledLicenses(moduleIds: readonly string[]): string {
  const folders = new Set(moduleIds.map(packageFolder).filter((folder) => folder !== undefined));
  const texts = [...folders].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
    const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.|$)/i.test(entry));
    if (file === undefined) throw new Error(`${name} ${version} is bundled and brings no text of its license.`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.toSorted().join(`\n${'-'.repeat(80)}\n\n`);
}

import { parseSync } from 'oxc-parser';

/** One import or re-export of a module. */
export interface ModuleImport {
  readonly specifier: string;
  /** Nothing of it is there at run time. */
  readonly isTypeOnly: boolean;
}

/** What a TypeScript file imports statically or re-exports, and what it imports dynamically by a literal. */
export function moduleImports(path: string, text: string): ModuleImport[] {
  const { module } = parseSync(path, text);
  const found: ModuleImport[] = module.staticImports.map(({ moduleRequest, entries }) => ({
    specifier: moduleRequest.value,
    isTypeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
  }));
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (moduleRequest !== null) found.push({ specifier: moduleRequest.value, isTypeOnly: isType });
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = /^['"](.+)['"]$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1];
    if (literal !== undefined) found.push({ specifier: literal, isTypeOnly: false });
  }
  return found;
}

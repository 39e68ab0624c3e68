/** One copy of a package on disk. */
export interface PackageCopy {
  readonly name: string;
  readonly folder: string;
}

const packagePattern = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/]/;

/** The package a module belongs to, by the last `node_modules` in its path. */
export function packageOf(path: string): PackageCopy | undefined {
  const match = packagePattern.exec(path);
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { folder: match[1], name: match[2].replaceAll('\\', '/') };
}

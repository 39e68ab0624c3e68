import protobuf, { type NamespaceBase, type Type } from 'protobufjs';
import descriptors, { type IDescriptorProto } from 'protobufjs/ext/descriptor.js';
import type { ProtoSource } from './proto-source.ts';

/** Files that describe gRPC services, as callers of a reflection service want them. Names are full names without a dot in front. */
export interface DescribedFiles {
  /** The file of this name, then all that it imports, each a serialized FileDescriptorProto. */
  byName(name: string): readonly Uint8Array[] | undefined;
  /** The same for the file that declares a service, method, message, field, enum or value of one. */
  bySymbol(symbol: string): readonly Uint8Array[] | undefined;
  isMessage(symbol: string): boolean;
}

interface DescribedFile {
  readonly imports: readonly string[];
  readonly bytes: Uint8Array;
}

/**
 * Describes `.proto` files that hold each other's imports: one file a package, proto3, without maps and extensions. A file is named
 * by its package and its base name, as in `opentelemetry/proto/trace/v1/trace.proto`. Throws where a file cannot be read as one.
 */
export function describeFiles(sources: readonly ProtoSource[]): DescribedFiles {
  const root = new protobuf.Root();
  const importsOf = new Map<string, readonly string[]>();
  for (const { baseName, text } of sources) {
    const { package: packageName = '', imports = [] } = protobuf.parse(text, root, { keepCase: false });
    const name = `${packageName.replaceAll('.', '/')}/${baseName}`;
    root.define(packageName).filename = name;
    importsOf.set(name, imports);
  }
  root.resolveAll();
  const files = new Map<string, DescribedFile>();
  const fileOfSymbol = new Map<string, string>();
  const messages = new Set<string>();
  for (const file of root.toDescriptor('proto3').file) {
    const { name = '', package: packageName = '', messageType = [] } = file;
    const imports = importsOf.get(name) ?? [];
    const declared = root.define(packageName);
    for (const symbol of symbolsIn(declared)) fileOfSymbol.set(symbol, name);
    for (const message of messagesIn(declared)) messages.add(nameOf(message));
    nameTypesInFull(declared, messageType);
    files.set(name, {
      imports,
      bytes: descriptors.FileDescriptorProto.encode({ ...file, dependency: imports }).finish(),
    });
  }
  const byName = (name: string) => (files.has(name) ? withImports(files, name) : undefined);
  return {
    byName,
    bySymbol: (symbol) => byName(fileOfSymbol.get(symbol) ?? ''),
    isMessage: (symbol) => messages.has(symbol),
  };
}

function nameOf({ fullName }: { readonly fullName: string }): string {
  return fullName.slice(1);
}

function typesOf(parent: NamespaceBase): Type[] {
  return parent.nestedArray.filter((child) => child instanceof protobuf.Type);
}

function messagesIn(parent: NamespaceBase): Type[] {
  return typesOf(parent).flatMap((type) => [type, ...messagesIn(type)]);
}

/** Packages inside a package are not looked into: each has a file of its own. */
function symbolsIn(parent: NamespaceBase): string[] {
  return parent.nestedArray.flatMap((child) => {
    const own = nameOf(child);
    if (child instanceof protobuf.Type) {
      return [own, ...child.fieldsArray.map((field) => `${own}.${field.protoName ?? field.name}`), ...symbolsIn(child)];
    }
    if (child instanceof protobuf.Service) return [own, ...child.methodsArray.map(nameOf)];
    // The values of an enum belong to what the enum is declared in.
    if (child instanceof protobuf.Enum)
      return [own, ...Object.keys(child.values).map((value) => `${nameOf(parent)}.${value}`)];
    return [];
  });
}

/** protobufjs shortens the names of types to what may mean another one: `trace.v1.X` below `collector.trace.v1` is not found. */
function nameTypesInFull(parent: NamespaceBase, described: readonly IDescriptorProto[]): void {
  for (const [index, type] of typesOf(parent).entries()) {
    const { field = [], nestedType = [] } = described[index] ?? {};
    for (const [place, { resolvedType }] of type.fieldsArray.entries()) {
      const descriptor = field[place];
      if (resolvedType !== null && descriptor !== undefined) descriptor.typeName = resolvedType.fullName;
    }
    nameTypesInFull(type, nestedType);
  }
}

function withImports(files: ReadonlyMap<string, DescribedFile>, name: string, seen = new Set<string>()): Uint8Array[] {
  const file = files.get(name);
  if (file === undefined || seen.has(name)) return [];
  seen.add(name);
  return [file.bytes, ...file.imports.flatMap((imported) => withImports(files, imported, seen))];
}

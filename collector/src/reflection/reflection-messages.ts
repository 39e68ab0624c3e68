/** What a caller of the reflection service asks: exactly one of the members beside `host`. */
export interface ReflectionRequest {
  readonly host: string;
  readonly fileByFilename?: string;
  readonly fileContainingSymbol?: string;
  readonly fileContainingExtension?: { readonly containingType: string; readonly extensionNumber: number };
  readonly allExtensionNumbersOfType?: string;
  readonly listServices?: string;
}

/** The part of an answer that depends on the question. */
export type ReflectionResult =
  | { readonly fileDescriptorResponse: { readonly fileDescriptorProto: readonly Uint8Array[] } }
  | {
      readonly allExtensionNumbersResponse: {
        readonly baseTypeName: string;
        readonly extensionNumber: readonly number[];
      };
    }
  | { readonly listServicesResponse: { readonly service: readonly { readonly name: string }[] } }
  | { readonly errorResponse: { readonly errorCode: number; readonly errorMessage: string } };

/** What a caller of the reflection service is answered. */
export type ReflectionAnswer = ReflectionResult & {
  readonly validHost: string;
  readonly originalRequest: ReflectionRequest;
};

/**
 * What this package relies on inside the SDK, of either package layout. Some members are private there, so they are typed
 * here by shape; each is checked to exist before it is patched.
 */

/** A JSON-RPC request or notification before the SDK gives it an id. */
export interface McpMessage {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A request that has arrived, with the id it expects its answer under. */
export interface McpArrivedRequest extends McpMessage {
  readonly id: string | number;
}

/** What a caller says beside a request. */
export interface McpRequestOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: unknown) => void;
}

/** A transport of any kind. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: unknown, options?: unknown): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onmessage?: ((message: unknown) => void) | undefined;
  onerror?: ((error: unknown) => void) | undefined;
  sessionId?: string | undefined;
  terminateSession?(): Promise<void>;
}

/** `request`: every request passes it. A result schema stands second, or is left out; the options stand last. */
export type McpRequest = (this: McpClient, request: McpMessage, ...rest: unknown[]) => Promise<unknown>;

/** `notification`: every one-way message passes it. */
export type McpNotification = (this: McpClient, notification: McpMessage, ...rest: unknown[]) => Promise<void>;

/** `connect`: starts the transport and makes the handshake. */
export type McpConnect = (this: McpClient, transport: McpTransport, options?: object) => Promise<void>;

/** `_onrequest`: a request of the other side has arrived. */
export type McpOnRequest<Side extends object = McpClient> = (
  this: Side,
  request: McpArrivedRequest,
  ...rest: unknown[]
) => unknown;

/** `_onnotification`: a notification of the other side has arrived. */
export type McpOnNotification = (this: McpClient, notification: McpMessage, ...rest: unknown[]) => unknown;

/** What handles a request of the other side. */
export type McpRequestHandler = (request: McpArrivedRequest, ...rest: unknown[]) => unknown;

/**
 * `_getRequestHandler` of version 2: asked for what handles a question that came inside a result, of which the client answers by sending
 * its request once more.
 */
export type McpGetRequestHandler = (this: McpClient, method: string) => McpRequestHandler | undefined;

/** How version 2 answers the questions that came inside a result, and sends the request once more. */
type McpResolveNonCompleteResult = (this: McpClient, decoded: object, flow: object) => Promise<unknown>;

/** `listen` of version 2: opens a subscription, by a request that passes the transport alone. */
export type McpListen = (this: McpClient, ...parameters: unknown[]) => Promise<unknown>;

/** What of a client its calls are named by. */
export interface NamedClient {
  getServerVersion?(): { readonly name?: unknown; readonly version?: unknown } | undefined;
  getNegotiatedProtocolVersion?(): unknown;
  readonly _requestMessageId?: unknown;
}

/** A client of the SDK. */
export interface McpClient extends NamedClient {
  readonly transport?: McpTransport;
  connect: McpConnect;
  request: McpRequest;
  notification: McpNotification;
  _onrequest?: McpOnRequest;
  _onnotification?: McpOnNotification;
  onerror?: (error: Error) => void;
  _getRequestHandler?: McpGetRequestHandler;
  _resolveNonCompleteResult?: McpResolveNonCompleteResult;
  _negotiatedWireCodec?(): unknown;
  getDiscoverResult?(): unknown;
  readonly _capabilities?: unknown;
  readonly _clientInfo?: unknown;
}

// One definition for each thing a caller may do. Routes, validation, OpenAPI, tools and the
// reference page are derived from it; nothing about an operation is written anywhere else.
// It knows nothing of Fastify, sockets or credentials: the surface passes in a context.

import type { ErrorCode } from '#core/error-table.ts'
import type { Static, TObject, TSchema } from '#core/schema.ts'
import type { Scope } from '#core/scopes.ts'
import type { StopSignal } from '#core/stop.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What every surface passes to a handler; a surface may add more. */
export type CallContext = {
  requestId: string
  /** Aborts when the caller disconnects. Created on first use. */
  signal(): StopSignal
  /** All values of a header, in order. The name is in lower case. */
  headerValues(name: string): string[]
  /** Where the request came from, for the audit log; absent if no request is behind the call. */
  ipAddress?: string
}

export type Answer = {
  status: number
  headers?: Record<string, string>
  /** A JSON object, its serialised text, or raw bytes for archives. */
  body: unknown
}

/** The success envelope. `beside` holds members next to `data`. */
export const answer = (
  data: unknown,
  options: { status?: number; headers?: Record<string, string>; beside?: object } = {},
): Answer => ({
  status: options.status ?? 200,
  ...(options.headers ? { headers: options.headers } : {}),
  body: options.beside ? { success: true, ...options.beside, data } : { success: true, data },
})

export type Described = {
  id: string
  route: `${Method} /${string}`
  summary: string
  description?: string
  /** The rate limit of the account that it counts against, besides the general one. */
  rate?: 'chat' | 'generation' | 'run'
  /** `public` needs no credential. */
  scope: Scope | 'public'
  /** The function-calling form, if the operation has one. */
  tool?: ToolForm
  bodyLimitBytes?: number
  /** The body may be absent or empty, which is read as {}. */
  bodyOptional?: true
  /** Content types that the handler receives as a stream. It enforces the size limit itself. */
  streams?: readonly string[]
  /** The error code for a body that does not match its schema. */
  bodyFailure?: ErrorCode
  /** Specific codes for issues of the body, keyed by `path rule`. */
  issueCodes?: Readonly<Record<string, string>>
  requestHeaders?: Record<string, { schema: TSchema; required: boolean; description: string }>
  /** Throws if a header is not acceptable. Called before the body is validated. */
  checkHeaders?(headerValues: CallContext['headerValues']): void
  /** Success statuses with the schema of `data`, or a content type for raw bytes. */
  success: Record<number, SuccessForm>
  /** Error codes beyond those of every operation. */
  errors: readonly ErrorCode[]
  /** The request may safely be repeated after a 500. */
  repeatable: boolean
  /** Tells a caller whose write may or may not have happened how to find out. */
  ifUnknown?: string
  /** Changes nothing although it is a POST and its scope allows writes. */
  isReadOnly?: true
  /** Has its own time limit, as a chat does. All others have the server's. */
  hasOwnTimeout?: true
}

/** As it is written down. Reading may be repeated, unless it says otherwise. */
export type Declared = Omit<Described, 'errors' | 'repeatable' | 'route' | 'scope'> &
  Partial<Pick<Described, 'errors'>> &
  (
    | { route: `GET /${string}`; repeatable?: boolean }
    | { route: `${Exclude<Method, 'GET'>} /${string}`; repeatable: boolean }
  )

/** True if the operation only reads, whatever its method is. */
export const changesNothing = ({
  route,
  scope,
  isReadOnly,
}: Pick<Described, 'route' | 'scope' | 'isReadOnly'>): boolean =>
  route.startsWith('GET ') || scope.endsWith(':read') || isReadOnly === true

export type SuccessForm = {
  description: string
  data?: TSchema
  beside?: Record<string, TSchema>
  contentType?: string
  headers?: Record<string, { schema: TSchema; description: string }>
}

export type ToolForm = {
  name: `svc_${string}`
  /** For the model: what the tool does and the rules of use. */
  description: string
  /** The tool's arguments, if they differ from the HTTP schema. */
  arguments?: TObject
  /** What a call starts that goes on after its answer, or what it reads that another started. */
  starts?: 'run' | 'task'
  reads?: 'run' | 'task'
}

export type Operation<Context> = Described & {
  method: Method
  path: string
  params?: TObject
  query?: TObject
  body?: TSchema
  handle(context: Context & CallContext, input: OperationInput): Promise<Answer> | Answer
}

export type OperationInput = { params: unknown; query: unknown; body: unknown }

/** What an operation takes, and what it does with it. */
export type Handling<Context, P extends TObject, Q extends TObject, B extends TSchema> = {
  params?: P
  query?: Q
  body?: B
  handle(
    context: Context & CallContext,
    input: { params: Static<P>; query: Static<Q>; body: Static<B> },
  ): Promise<Answer> | Answer
}

/** `defineFor<MyContext>()` returns the `define` function of one surface. */
export const defineFor =
  <Context>() =>
  <P extends TObject = TObject, Q extends TObject = TObject, B extends TSchema = TSchema>(
    spec: Declared & Pick<Described, 'scope'> & Handling<Context, P, Q, B>,
  ): Operation<Context> => {
    const [method, path] = spec.route.split(' ') as [Method, string]
    // The cast is safe: the surface validates params, query and body against these schemas.
    const handle = spec.handle as Operation<Context>['handle']
    return { errors: [], repeatable: method === 'GET', ...spec, method, path, handle }
  }

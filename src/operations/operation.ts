// One definition per thing a caller may do. Routes, validation, OpenAPI, tools and the reference
// page are all derived from it; nothing about an operation is written anywhere else.
// Never knows of Fastify, sockets or credentials: a surface hands in a context.

import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from '#core/error-table.ts'
import type { Scope } from '#core/scopes.ts'
import type { StopSignal } from '#core/stop.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What every surface gives a handler, besides what the surface itself adds. */
export type CallContext = {
  requestId: string
  /** Aborts when the caller goes away; made when asked for. */
  signal(): StopSignal
  /** All values sent for a header, in order; lower-case name. */
  headerValues(name: string): string[]
}

export type Answer = {
  status: number
  headers?: Record<string, string>
  /** A JSON object, its text already written, or raw bytes for archives. */
  body: unknown
}

/** The success envelope; `beside` are members next to `data`. */
export const answer = (
  data: unknown,
  options: { status?: number; headers?: Record<string, string>; beside?: object } = {},
): Answer => ({
  status: options.status ?? 200,
  ...(options.headers ? { headers: options.headers } : {}),
  body: { success: true, ...options.beside, data },
})

type Described = {
  id: string
  route: `${Method} /${string}`
  summary: string
  description?: string
  /** Which limit of an account it counts against, besides the general one. */
  rate?: 'chat' | 'generation' | 'run'
  /** `public` needs no credential. */
  scope: Scope | 'public'
  /** The function-calling form, where the operation has one. */
  tool?: ToolForm
  bodyLimitBytes?: number
  /** An optional body may be absent or empty, which reads as {}. */
  bodyOptional?: true
  /** The handler is given the body as a stream of bytes of these types; it bounds them itself. */
  streams?: readonly string[]
  /** The code of a body that breaks its schema. */
  bodyFailure?: ErrorCode
  /** Codes of their own for issues of the body, by `path rule`. */
  issueCodes?: Readonly<Record<string, string>>
  requestHeaders?: Record<string, { schema: TSchema; required: boolean; description: string }>
  /** Throws where a header is not acceptable: before the body is looked at. */
  checkHeaders?(headerValues: CallContext['headerValues']): void
  /** Success statuses with the schema of `data`, or a content type for raw bytes. */
  success: Record<number, SuccessForm>
  /** Codes it can answer beyond those every operation can. */
  errors: readonly ErrorCode[]
  /** A 500 may be repeated safely. */
  repeatable: boolean
  /** Said to a caller whose write may have been made: how to find out. */
  ifUnknown?: string
  /** It changes nothing, though it is a POST and its scope does not say so. */
  asksOnly?: true
  /** It keeps a time limit of its own, as a chat does; all others have the server's. */
  limitsItself?: true
}

/** Changes nothing, whatever its method is. */
export const changesNothing = ({
  route,
  scope,
  asksOnly,
}: Pick<Described, 'route' | 'scope' | 'asksOnly'>): boolean =>
  route.startsWith('GET ') || scope.endsWith(':read') || asksOnly === true

export type SuccessForm = {
  description: string
  data?: TSchema
  beside?: Record<string, TSchema>
  contentType?: string
  headers?: Record<string, { schema: TSchema; description: string }>
}

export type ToolForm = {
  name: `svc_${string}`
  /** Said to the model: what it does and the rules of use. */
  description: string
  /** Where the tool's arguments differ from the HTTP schema. */
  arguments?: TObject
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

/** `defineFor<MyContext>()` gives the `define` of one surface. */
export const defineFor =
  <Context>() =>
  <P extends TObject = TObject, Q extends TObject = TObject, B extends TSchema = TSchema>(
    spec: Described & {
      params?: P
      query?: Q
      body?: B
      handle(
        context: Context & CallContext,
        input: { params: Static<P>; query: Static<Q>; body: Static<B> },
      ): Promise<Answer> | Answer
    },
  ): Operation<Context> => {
    const [method, path] = spec.route.split(' ') as [Method, string]
    // The border: the surface validates params, query and body against these very schemas.
    return { ...spec, method, path, handle: spec.handle as Operation<Context>['handle'] }
  }

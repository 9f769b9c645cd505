import { isHeaderName, isHeaderValue, isSettableHeader } from '#core/header-names.ts'
import { isRecord } from '#core/record.ts'
import { Type } from '#core/schema.ts'
import { estimateCall } from '../node/estimate-reuse.ts'
import { local, unknownValue } from '../node/guess.ts'
import { pointerSegment } from '../node/json-pointer.ts'
import { CredentialName } from '../node/model-config.ts'
import { NodeFailure } from '../node/node-failure.ts'
import { type NodeReuse, OwnReuseSetting } from '../node/node-reuse.ts'
import {
  type ConfigProblem,
  defineNode,
  fixedPorts,
  type Guess,
  type NodeInputs,
} from '../node/node-type.ts'
import type { HttpAnswer, HttpCall, ReusableRequest } from '../node/outside-calls.ts'
import { firstPlaceholder, render } from '../node/placeholders.ts'
import { assertDepth } from '../node/values.ts'

type Config = {
  method?: string
  url: string
  query?: Record<string, string | number | boolean>
  headers?: Record<string, string>
  timeoutMs?: number
  responseType?: 'auto' | 'json' | 'text'
  failOnHttpError?: boolean
  credential?: string
  reuse?: NodeReuse
}

const ports = fixedPorts(
  { vars: 'json', body: 'json' },
  { body: 'json', status: 'number', headers: 'json' },
)
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']
const longestHeaderName = 100
/** The gateway sends no longer ones; also once values are filled in. */
const maxUrlChars = 2048

export const httpRequest = defineNode<Config>({
  type: 'http.request',
  canvas: {
    label: 'HTTP request',
    group: 'connect',
    icon: 'globe',
    help: 'Calls a public address. {{name}} in the path, query and headers is replaced by a value from the port vars. A GET that is answered 429, 502, 503 or 504 is sent again, up to twice.',
  },
  config: Type.Object({
    method: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: methods, default: 'GET' })),
    url: Type.String({
      title: 'Address',
      minLength: 1,
      maxLength: maxUrlChars,
      description:
        'An http(s) address. {{name}} is allowed only after the host. With its values and the query it has at most 2048 characters too.',
    }),
    query: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Unsafe<string | number | boolean>({
          anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }],
        }),
        { maxProperties: 100, description: 'Added to the address; {{name}} is replaced.' },
      ),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
        maxProperties: 50,
        description: 'Sent with the request; {{name}} is replaced.',
      }),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30_000,
        default: 30_000,
        title: 'Time limit',
        description: 'In milliseconds.',
      }),
    ),
    responseType: Type.Optional(
      Type.Unsafe<'auto' | 'json' | 'text'>({
        type: 'string',
        enum: ['auto', 'json', 'text'],
        default: 'auto',
        description: 'auto: JSON if the content type of the answer says so, otherwise text.',
      }),
    ),
    failOnHttpError: Type.Optional(
      Type.Boolean({
        default: true,
        title: 'Fail on HTTP errors',
        description: 'A status of 400 or more fails the node.',
      }),
    ),
    credential: Type.Optional(
      CredentialName(
        'The name of a credential of the account, sent as a header. Its secret is never part of the workflow.',
      ),
    ),
    reuse: OwnReuseSetting,
  }),
  pure: false,
  ports: () => ports,
  check: ({ url, headers = {} }) => [...urlProblems(url), ...headerProblems(headers)],
  placeholders: ({ url, query, headers }) => [
    ...textsIn('/url', { '': url }),
    ...textsIn('/query', query),
    ...textsIn('/headers', headers),
  ],
  credential: ({ credential: name, url }) =>
    typeof name === 'string' && typeof url === 'string' ? { path: '/credential', name, url } : null,
  estimate: ({ config, inputs: { ports }, env }) =>
    estimateCall(
      env,
      // Without a setting it takes no part.
      config.reuse ?? false,
      {
        call: knownCall(config, ports),
        outputs: (answer) => outputsOf(config, answer as HttpAnswer),
      },
      () => ({
        ...local({ body: unknownValue(), status: unknownValue(), headers: unknownValue() }),
        calls: 1,
      }),
    ),
  async execute(context, { ports: { vars, body } }, config) {
    const answer = await context.httpRequest(callOf(config, vars, body))
    if (answer.status >= 400 && config.failOnHttpError !== false) {
      throw new NodeFailure('HTTP_FAILED', `The address answered with status ${answer.status}.`)
    }
    return outputsOf(config, answer)
  },
})

const textsIn = (path: string, texts: unknown) =>
  Object.entries(isRecord(texts) ? texts : {}).map(([name, text]) => ({
    path: name === '' ? path : `${path}/${pointerSegment(name.slice(0, 100))}`,
    text: String(text),
    from: 'vars',
  }))

const outputsOf = ({ responseType = 'auto' }: Config, answer: HttpAnswer) => ({
  ...answer,
  body: readBody(answer, responseType),
})

function callOf(config: Config, vars: unknown, body: unknown): HttpCall {
  const method = config.method ?? 'GET'
  const values = isRecord(vars) ? vars : {}
  const payload = method === 'GET' || method === 'HEAD' ? undefined : body
  const hasBody = payload !== undefined && payload !== null
  return {
    method,
    url: addressOf(config, values),
    headers: headersOf(config.headers ?? {}, values, hasBody),
    ...(hasBody ? { body: JSON.stringify(payload) } : {}),
    timeoutMs: config.timeoutMs ?? 30_000,
    ...(config.credential === undefined ? {} : { credential: config.credential }),
  }
}

/** Null if a part of it is known only at run time, or if it cannot be sent. */
function knownCall(
  config: Config,
  { vars, body }: NodeInputs<Guess>['ports'],
): ReusableRequest | null {
  if ((vars && !vars.known) || (body && !body.known)) return null
  try {
    return { kind: 'HTTP', call: callOf(config, vars?.value, body?.value) }
  } catch {
    return null
  }
}

function urlProblems(url: string): ConfigProblem[] {
  const problem = (message: string) => [{ path: '/url', message }]
  const start = /^https?:\/\/[^/?#\\]+/i.exec(url)
  if (!start) return problem('url must begin with http:// or https:// and a host')
  const first = firstPlaceholder(url)
  // The author of the workflow chooses the host, never the caller of a run.
  if (start[0].includes('{{') || (first !== -1 && first < start[0].length)) {
    return problem('url may have {{name}} only after the host, in the path or query')
  }
  if (!URL.canParse(start[0])) return problem('url has a host that cannot be read')
  if (start[0].includes('@')) {
    return problem('url must not hold a user name or password: send an Authorization header')
  }
  return []
}

function headerProblems(headers: Record<string, string>): ConfigProblem[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const path = `/headers/${pointerSegment(name.slice(0, 100))}`
    if (!isHeaderName(name) || name.length > longestHeaderName)
      return [{ path, message: 'headers has a name that is not a header name' }]
    if (!isSettableHeader(name))
      return [{ path, message: `headers must not set ${name}: it is set for you` }]
    if (!isHeaderValue(value)) {
      return [{ path, message: `headers: ${name} must hold printable Latin-1 characters only` }]
    }
    return []
  })
}

function addressOf({ url, query = {} }: Config, vars: Record<string, unknown>): string {
  const address = new URL(render(url, vars, (text) => encodeURIComponent(wellFormed(text))))
  for (const [name, value] of Object.entries(query)) {
    address.searchParams.append(name, render(String(value), vars, wellFormed))
  }
  const { length } = address.href
  if (length > maxUrlChars) {
    throw new NodeFailure(
      'HTTP_FAILED',
      `The address has ${length} characters once its values are filled in; at most ${maxUrlChars} are sent.`,
    )
  }
  return address.href
}

/** A lone surrogate cannot be encoded in an address. */
function wellFormed(text: string): string {
  if (text.isWellFormed()) return text
  throw new NodeFailure('HTTP_FAILED', 'A value for the address is not well-formed text.')
}

function headersOf(
  headers: Record<string, string>,
  vars: Record<string, unknown>,
  hasBody: boolean,
) {
  const filled: Record<string, string> = hasBody ? { 'content-type': 'application/json' } : {}
  for (const [name, template] of Object.entries(headers)) {
    const value = render(template, vars)
    if (!isHeaderValue(value)) {
      throw new NodeFailure('HTTP_FAILED', `A value for header ${name} is not printable Latin-1.`)
    }
    filled[name.toLowerCase()] = value
  }
  return filled
}

function readBody(
  { headers, body }: { headers: Record<string, string>; body: string },
  responseType: 'auto' | 'json' | 'text',
): unknown {
  const saysJson = /\bjson\b/i.test(headers['content-type'] ?? '')
  if (responseType === 'text' || (responseType === 'auto' && !saysJson)) return body
  if (body === '') return null
  const value = parsed(body)
  if (value === undefined && responseType === 'json') {
    throw new NodeFailure('HTTP_FAILED', 'The answer is not JSON: set responseType to text.')
  }
  assertDepth(value)
  return value === undefined ? body : value
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

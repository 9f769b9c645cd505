import { changesNothing } from '#api/operation.ts'
import { type ErrorCode, errorTable, requestErrorCodes } from '#core/error-table.ts'
import { headersOf } from './headers.ts'
import { type Described, defaultBodyLimitBytes } from './surfaces.ts'

const everywhere: ErrorCode[] = ['RATE_LIMITED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
const authenticated: ErrorCode[] = [
  'AUTH_REQUIRED',
  'INVALID_CREDENTIAL',
  'CREDENTIAL_EXPIRED',
  'INSUFFICIENT_SCOPE',
  'ACCOUNT_DISABLED',
  'TAG_INVALID',
]
const withBody: ErrorCode[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']

export function errorCodesOf(operation: Described): ErrorCode[] {
  return [
    ...(operation.body ? [...withBody, operation.bodyFailure ?? 'INVALID_REQUEST'] : []),
    ...(operation.params || operation.query ? (['INVALID_REQUEST'] as const) : []),
    ...(operation.scope === 'public' ? [] : authenticated),
    ...operation.errors,
    ...(changesNothing(operation) ? [] : (['OUTCOME_UNKNOWN'] as const)),
    ...everywhere,
  ].filter((code, index, all) => all.indexOf(code) === index)
}

export function failures(operation: Described, { isLimited }: { isLimited: boolean }) {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of errorCodesOf(operation)) {
    const { status } = errorTable[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => sentenceOf(code, operation)).join('\n\n'),
        headers: headersOf(status, { isLimited, hasTag: false }),
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/AgentError' } },
        },
      },
    ]),
  )
}

function sentenceOf(code: ErrorCode, { bodyLimitBytes = defaultBodyLimitBytes }: Described) {
  const most = code === 'PAYLOAD_TOO_LARGE' ? ` At most ${bodyLimitBytes} bytes.` : ''
  return `${code}: ${errorTable[code].message}${most}`
}

export const agentError = {
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      required: ['code', 'message', 'retryable'],
      properties: {
        code: { type: 'string', enum: requestErrorCodes },
        message: { type: 'string' },
        retryable: {
          type: 'boolean',
          description: 'Whether the same request may be repeated.',
        },
        details: {
          type: 'object',
          description: 'Facts about this failure; issues[] for schema failures.',
        },
      },
    },
  },
}

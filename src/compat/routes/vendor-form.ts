import type { FastifyRequest } from 'fastify'
import type { Failure } from '#core/errors.ts'

/** How a vendor writes a failure, names a request and shows that a silent stream is alive. */
export type VendorForm = {
  ping: string | undefined
  requestIdHeader: string
  statusOf(failure: Failure): number
  bodyOf(failure: Failure, requestId: string): object
  headersOf(failure: Failure): Record<string, string>
  /** How it says what is left of a limit, if it does. */
  rateHeaders?(left: NonNullable<FastifyRequest['rateLeft']>): Record<string, string>
}

import { Failure, type Issue } from '#core/errors.ts'
import { toNodeError } from './node-error.ts'
import type { RunDeps } from './run-deps.ts'

type Accepted = { media: unknown } | { problem: string }

/** Reads what a caller names, while the request waits: `withinMs` is a part of its time. */
export const acceptMedia =
  (importMedia: RunDeps['importMedia'], withinMs: number) =>
  async (accountId: string, url: string, kind: 'image' | 'video'): Promise<Accepted> => {
    const signal = AbortSignal.timeout(withinMs)
    try {
      return { media: await importMedia(accountId, url, { kind, signal }) }
    } catch (error) {
      if (signal.aborted) return { problem: 'it was not read in time' }
      const known = toNodeError(error)
      if (!known || (error instanceof Failure && error.status >= 500)) throw error
      const [issue] = error instanceof Failure ? ((error.details?.issues ?? []) as Issue[]) : []
      return { problem: (issue?.message ?? known.message).replace(/\.$/, '') }
    }
  }

import { type Client, createClient } from '#client/client.ts'
import { delay } from '#core/clock.ts'
import type { Cli } from './command.ts'
import { requireKey } from './settings.ts'
import { CliFailure, exits } from './terminal/failure.ts'

/**
 * A client that retries during an outage only after it has reached the server once. A user who
 * mistyped the URL or forgot to start the server gets an error immediately.
 */
export function connect({ settings, clock }: Pick<Cli, 'settings' | 'clock'>): Client {
  let hasReached = false
  return createClient(
    {
      baseUrl: settings.url,
      apiKey: requireKey(settings),
      fetch: async (...request) => {
        const answer = await fetch(...request)
        hasReached = true
        return answer
      },
    },
    {
      nowMs: clock.nowMs,
      random: Math.random,
      async sleep(ms, signals) {
        if (!hasReached) throw unreachable(settings.url)
        await delay(ms, AbortSignal.any(signals.filter((signal) => signal !== undefined)))
      },
    },
  )
}

export const unreachable = (url: string, cause?: unknown) =>
  new CliFailure(`Cannot connect to ${url}.`, {
    exitCode: exits.unreachable,
    code: 'UNREACHABLE',
    hint: 'Start a server with "atelier start", or set ATELIER_URL. Run "atelier doctor" for details.',
    cause,
  })

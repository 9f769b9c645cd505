// The limits of a key as its vendor reports them in the headers of every answer, by model. They count
// only while less than half is left: until then nothing has to wait, and calls need not be counted.
import { createBoundedMap } from '#core/bounded-map.ts'
import type { LaneLimits } from '#core/lane.ts'
import type { Answer } from './upstream.ts'

export type LearntLimits = {
  read(model: string, headers: Answer['headers']): void
  /** Undefined as long as enough is left, or if the vendor says nothing. */
  of(model: string): LaneLimits | undefined
}

/** No key has more models than this in use. */
const maxModels = 200

export function createLearntLimits(): LearntLimits {
  const models = createBoundedMap<LaneLimits>({ maxEntries: maxModels })
  return {
    read(model, headers) {
      const form = formOf(headers)
      if (!form) return
      const requestsPerMinute = nearly(headers, form.requests)
      const tokensPerMinute = nearly(headers, form.tokens)
      if (requestsPerMinute === undefined && tokensPerMinute === undefined) models.delete(model)
      else models.set(model, { requestsPerMinute, tokensPerMinute })
    },
    of: (model) => (models.size === 0 ? undefined : models.get(model)),
  }
}

type Names = { limit: string; remaining: string; reset?: string }

/** OpenAI, Azure, Groq and most other servers with OpenAI's protocol. */
const openAi = (of: string): Names => ({
  limit: `x-ratelimit-limit-${of}`,
  remaining: `x-ratelimit-remaining-${of}`,
  reset: `x-ratelimit-reset-${of}`,
})

/** Per minute, as documented; `tokens` is the most restrictive of its limits of tokens. */
const anthropic = (of: string): Names => ({
  limit: `anthropic-ratelimit-${of}-limit`,
  remaining: `anthropic-ratelimit-${of}-remaining`,
})

const forms = [openAi, anthropic].map((form) => ({
  requests: form('requests'),
  tokens: form('tokens'),
}))

const formOf = (headers: Answer['headers']) =>
  forms.find(
    ({ requests, tokens }) =>
      headers[requests.limit] !== undefined || headers[tokens.limit] !== undefined,
  )

/** The limit per minute, if less than half of it is left. */
function nearly(headers: Answer['headers'], names: Names): number | undefined {
  const limit = Number(headers[names.limit])
  const remaining = Number(headers[names.remaining])
  if (!(limit >= 1) || !(remaining >= 0) || remaining >= limit / 2) return undefined
  const resetSeconds = names.reset === undefined ? undefined : secondsIn(headers[names.reset])
  if (resetSeconds === undefined) return Math.floor(limit)
  // It refills evenly: what was used comes back within the reset. Some limits are of a day.
  const windowSeconds = (resetSeconds * limit) / (limit - remaining)
  return windowSeconds > 30 && windowSeconds < 120 ? Math.floor(limit) : undefined
}

const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }

/** `6m0s`, `120ms`, or seconds. */
function secondsIn(written: unknown): number | undefined {
  const text = String(written ?? '')
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)]
  if (parts.length === 0) return undefined
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (units[unit] ?? 1), 0)
}

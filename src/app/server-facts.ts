import { readFileSync } from 'node:fs'
import type { Config } from '#config'
import { money, toMicros } from '#core/money.ts'
import type { ServerFacts } from '#developer/server-facts.ts'
import { maxConnections, maxNodes } from '#nodes/validation/check-graph.ts'
import { builtinModels } from '#providers/builtin-models.ts'
import type { ProviderSet } from './providers.ts'

const orNull = (limit: number) => (limit === 0 ? null : limit)

/** Fields are listed one by one, so that a new setting is never exposed by accident. */
export const serverFacts = (config: Config, set: ProviderSet, baseUrl: string): ServerFacts => ({
  version: JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version,
  baseUrl,
  database: config.DATABASE_URL === '' ? 'sqlite' : 'postgres',
  providers: providersOf(set),
  limits: {
    requestsPerMinute: orNull(config.RATE_LIMIT),
    chatPerMinute: orNull(config.RATE_LIMIT_CHAT),
    generationPerMinute: orNull(config.RATE_LIMIT_GENERATION),
    runPerMinute: orNull(config.RATE_LIMIT_RUN),
    spendPerMonth: config.SPEND_LIMIT === 0 ? null : money(toMicros(config.SPEND_LIMIT)),
    tasksInFlight: config.MAX_TASKS_IN_FLIGHT,
    activeRuns: config.MAX_ACTIVE_RUNS,
    queuedRuns: config.MAX_QUEUED_RUNS,
    workflowNodes: maxNodes,
    workflowConnections: maxConnections,
    mediaBytes: config.MEDIA_MAX_BYTES,
    runSeconds: config.RUN_TIMEOUT_SECONDS,
    chatSeconds: config.CHAT_TIMEOUT_SECONDS,
    imageTaskSeconds: config.TASK_IMAGE_TIMEOUT_SECONDS,
    videoTaskSeconds: config.TASK_VIDEO_TIMEOUT_SECONDS,
  },
  retentionDays: config.RETENTION_DAYS,
  signUp: config.SIGN_UP,
  oidc: config.OIDC_ISSUER !== '',
})

function providersOf({ providers, catalogue }: ProviderSet): ServerFacts['providers'] {
  const ids = new Set([...providers.keys(), ...builtinModels.map(({ provider }) => provider)])
  return [...ids].map((id) => ({
    id,
    configured: providers.has(id),
    models: catalogue.models.filter(({ provider }) => provider === id).length,
  }))
}

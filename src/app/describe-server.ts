import type { ServerFacts } from '#api/console/server-facts.ts'
import type { Config } from '#config'
import { toRfc3339 } from '#core/clock.ts'
import { money, toMicros } from '#core/money.ts'
import type { DeploymentState } from '#engine/calls/deployment-states.ts'
import { maxConnections, maxNodes } from '#graph/validation/check-graph.ts'
import { packageVersion } from '#operate/package-version.ts'
import type { SettingsFileState, WatchedFiles } from '#operate/settings-file-watch.ts'
import { builtinModels } from '#providers/builtin-models.ts'
import type { ProviderSet } from '#providers/configured/provider-set.ts'

const orNull = (limit: number) => (limit === 0 ? null : limit)

type FactSources = {
  config: Config
  set: ProviderSet
  baseUrl: string
  files: Pick<WatchedFiles, 'models' | 'prices'>
  deployments(): DeploymentState[]
}

/** Collected anew on each call, because providers and models can change while the server runs. */
export function describeServer(sources: FactSources): () => ServerFacts {
  const version = packageVersion()
  return () => factsNow(version, sources)
}

/** Fields are listed one by one, so that a new setting is never exposed by accident. */
const factsNow = (
  version: string,
  { config, set, baseUrl, files, deployments }: FactSources,
): ServerFacts => ({
  version,
  baseUrl,
  database: config.DATABASE_URL === '' ? 'sqlite' : 'postgres',
  providers: providersOf(set, deployments()),
  modelsFile: files.models ? fileOf(files.models.state()) : null,
  pricesFile: files.prices
    ? { ...fileOf(files.prices.state()), ...pricesOf(set.pricesFile()) }
    : null,
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

const pricesOf = ({ source, date, models }: ReturnType<ProviderSet['pricesFile']>) => ({
  source,
  date,
  models,
})

const fileOf = ({ readAtMs, isRefused }: SettingsFileState) => ({
  readAt: toRfc3339(readAtMs),
  isRefused,
})

const timeOrNull = (ms: number | null) => (ms === null ? null : toRfc3339(ms))

function providersOf(
  { configured, keyable, catalogue }: ProviderSet,
  deployments: readonly DeploymentState[],
): ServerFacts['providers'] {
  const callable = configured()
  const withKeys = keyable()
  const ids = new Set([...callable, ...builtinModels.map(({ provider }) => provider)])
  return [...ids].map((id) => ({
    id,
    configured: callable.has(id),
    takesKeys: withKeys.has(id),
    models: catalogue.models.filter(({ provider }) => provider === id).length,
    deployments: deployments
      .filter(({ provider }) => provider === id)
      .map(({ name, weight, state, refusedAtMs, untilMs }) => ({
        ...{ name, weight, state },
        refusedAt: timeOrNull(refusedAtMs),
        until: timeOrNull(untilMs),
      })),
  }))
}

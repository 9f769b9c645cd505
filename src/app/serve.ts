import { agentPaths, mountAgentRoutes } from '#agents/agent-routes.ts'
import { mcpPaths } from '#agents/mcp/mcp-route.ts'
import { type ConsoleServices, consolePrefix } from '#api/console/context.ts'
import { consoleOperations } from '#api/console/registry.ts'
import type { KeptAnswers } from '#api/kept-answers.ts'
import type { KeptResponses } from '#api/kept-responses.ts'
import { apiPrefix, type Services } from '#api/public/context.ts'
import { operations } from '#api/public/registry.ts'
import type { MakeImages } from '#api/public/tasks/awaited-images.ts'
import { createAccountLimit } from '#auth/rate-limit.ts'
import { enforceSchemas } from '#compat/enforce-schemas.ts'
import { type Compat, mountV1Routes, v1Paths } from '#compat/routes/v1-routes.ts'
import { mountV1betaRoutes, v1betaPaths } from '#compat/routes/v1beta-routes.ts'
import { type Config, cidrMatcher } from '#config'
import { after, type Clock, systemClock } from '#core/clock.ts'
import { loadOnce } from '#core/once.ts'
import { createEmbedder } from '#engine/calls/embed-texts.ts'
import { createSpeaker } from '#engine/calls/speak-text.ts'
import { createTextStreamer } from '#engine/calls/stream-text.ts'
import type { TextCallDeps } from '#engine/calls/text-attempt.ts'
import { createTranscriber } from '#engine/calls/transcribe-audio.ts'
import { apiSurface } from '#http/api-surface.ts'
import { type ConsoleFiles, consolePaths } from '#http/console-files.ts'
import { consoleSurface } from '#http/console-surface.ts'
import { prepareDrain } from '#http/draining.ts'
import { fixedPaths, mountFixedRoutes } from '#http/fixed-routes.ts'
import { hookPath, mountHooks } from '#http/hook-routes.ts'
import { mountSurface } from '#http/mount.ts'
import { mountOAuth, type OAuthRoutes, oauthKnownPaths } from '#http/oauth/oauth-routes.ts'
import type { RequestObserver } from '#http/observe.ts'
import { createPathTable } from '#http/path-table.ts'
import type { ReservedPort } from '#http/reserved-port.ts'
import { createServer, type Phase, type ServerOptions } from '#http/server.ts'
import { callbackPath, mountCallbacks } from '#http/waits/callback-route.ts'
import { linkPath, mountLinkPage } from '#http/waits/link-routes.ts'
import type { MediaStore } from '#media/media-store.ts'
import type { Thumbnails } from '#media/thumbnails/thumbnails.ts'
import type { Logger } from '#operate/log.ts'
import type { Metrics } from '#operate/metrics/metrics.ts'
import { descriptorLimit } from '#operate/process/descriptor-limit.ts'
import { isReady, type Readiness } from '#operate/readiness.ts'
import { openRequestLog } from '#operate/request-log-switch.ts'
import type { openIdentity } from './identity.ts'
import { openMcp } from './mcp.ts'

type Serving = {
  config: Config
  reserved: ReservedPort
  services: Services
  developer: Pick<ConsoleServices, 'server' | 'lanes' | 'sendWebhook' | 'saveUpload' | 'discovery'>
  /** Calls that only the compatible APIs make. */
  calls: ReturnType<typeof openCompatCalls> & {
    makeImages: MakeImages
    keptResponses: KeptResponses
    keptAnswers: KeptAnswers
    /** Answers callers who wait for images, so that they do not delay a shutdown. */
    stopWaiting(): void
  }
  identity: Awaited<ReturnType<typeof openIdentity>>
  oauth: Omit<OAuthRoutes, 'observer'>
  media: MediaStore
  thumbnails: Thumbnails
  consoleFiles: ConsoleFiles
  log: Logger
  metrics: Metrics
  readiness: Readiness
}

/** Calls to providers that only the compatible APIs make. */
export const openCompatCalls = (deps: TextCallDeps) => ({
  streamText: createTextStreamer(deps),
  embedTexts: createEmbedder(deps),
  speakText: createSpeaker(deps),
  transcribe: createTranscriber(deps),
})

/**
 * Starts the request side. `drain` serves on for a while but asks for no more requests. `stop`
 * refuses new requests and finishes those in flight.
 */
export async function serve(deps: Serving) {
  const { config, reserved, services, developer, identity, media, log, metrics } = deps
  let phase: Phase = 'serving'
  const drained = Promise.withResolvers<void>()
  const requestLog = openRequestLog(config.LOG_REQUESTS, log)
  const observer: RequestObserver = {
    ...(metrics.began && { began: metrics.began }),
    finished: metrics.finished,
    failed: (err, requestId) => log.error({ err, requestId }, 'a request failed'),
  }
  const app = createApp(config, { observer, requestLog, phase: () => phase })
  const api = apiSurface(services, operations, identity.gate)
  const limitMs = config.HANDLER_TIMEOUT_SECONDS * 1000
  const { keptAnswers } = deps.calls
  const handlers = { observer, limitMs, synced: services.db.synced, keptAnswers }
  mountSurface(app, api, handlers)
  const compat = openCompat(deps)
  const compatDeps = {
    admit: api.admit,
    readmit: api.readmit,
    countMore: identity.gate.countMore,
    stallMs: config.CHAT_TIMEOUT_SECONDS * 1000 + 10_000,
    timers: systemClock,
    observer,
    keptAnswers,
  }
  mountV1Routes(app, compat, compatDeps)
  mountV1betaRoutes(app, compat.gemini, compatDeps)
  mountSurface(
    app,
    consoleSurface(
      { ...identity.developer, ...developer, api: services },
      consoleOperations,
      identity.gate,
    ),
    handlers,
  )
  mountFixedRoutes(app, {
    operations,
    consoleOperations,
    baseUrl: services.baseUrl,
    jwks: identity.keyRing.jwks,
    media,
    thumbnails: deps.thumbnails,
    limitMs,
    failed: observer.failed,
    readiness: async () => {
      if (phase !== 'serving') return { status: 'unready', reason: 'the server is stopping' }
      return described(await deps.readiness.check())
    },
  })
  deps.consoleFiles.mount(app)
  const { baseUrl, clock } = services
  const { gate, issuers } = identity
  const authorizationServers = [baseUrl, ...issuers]
  mountOAuth(app, { ...deps.oauth, observer })
  const isStopping = () => phase === 'stopping'
  openMcp(app, { config, baseUrl, clock, gate, authorizationServers, observer, isStopping })
  mountAgentRoutes(app, services.agents)
  const waits = { services, perToken: waitLimit(clock), countAddress: gate.countAddress }
  mountCallbacks(app, waits)
  mountLinkPage(app, waits)
  mountHooks(app, {
    services,
    perTrigger: hookLimit(config, clock),
    countAddress: gate.countAddress,
    observer,
  })
  const endConnections = prepareDrain(app.server)
  await app.ready()
  await reserved.release()
  await app.listen({ host: config.HOST, port: reserved.port })
  return {
    async drain() {
      phase = 'draining'
      const cancel = after(config.DRAIN_SECONDS * 1000, drained.resolve)
      await drained.promise.finally(cancel)
    },
    async stop() {
      phase = 'stopping'
      drained.resolve()
      deps.calls.stopWaiting()
      const graceMs = config.SHUTDOWN_SECONDS * 1000
      await Promise.all([endConnections(graceMs), keptAnswers.close(graceMs)])
      await app.close()
      requestLog.close()
    },
  }
}

const createApp = (
  config: Config,
  hooks: Pick<ServerOptions, 'observer' | 'requestLog' | 'phase'>,
) =>
  createServer({
    paths: createPathTable(
      [
        { prefix: apiPrefix, operations, access: 'bearer' },
        { prefix: consolePrefix, operations: consoleOperations, access: 'session' },
      ],
      [
        ...fixedPaths,
        ...consolePaths,
        ...agentPaths,
        ...mcpPaths,
        ...oauthKnownPaths,
        ...v1Paths,
        ...v1betaPaths,
        callbackPath,
        hookPath,
        linkPath,
      ],
    ),
    allowedOrigins: new Set(config.ALLOWED_ORIGINS),
    trustProxy: config.TRUSTED_PROXIES.length === 0 ? false : cidrMatcher(config.TRUSTED_PROXIES),
    receiptTimeoutMs: config.RECEIPT_TIMEOUT_SECONDS * 1000,
    descriptorLimit: descriptorLimit(),
    ...hooks,
  })

/** A person fills in a form, a sender repeats what it is not sure of: neither needs more. */
const answersPerMinute = 60

const hookLimit = ({ RATE_LIMIT_HOOK: quota }: Config, clock: Clock) =>
  quota === 0 ? null : createAccountLimit({ clock, name: 'hook', quota })

const waitLimit = (clock: Clock) =>
  createAccountLimit({ clock, name: 'wait', quota: answersPerMinute })

/** Media that are away leave the server ready: everything else can be served. */
function described(writable: Awaited<ReturnType<Readiness['check']>>) {
  const media = writable.media ? 'available' : 'unavailable'
  if (isReady(writable)) return { status: 'ready', media } as const
  const store = writable.database ? 'the chat log' : 'the database'
  return { status: 'unready', reason: `${store} cannot be written` } as const
}

/** The APIs in the formats of other vendors. */
function openCompat({ services, calls }: Serving): Compat {
  const { checkSchemas, countTokens } = services.graphs
  const plain = { ...services, ...calls }
  const deps = { ...plain, ...enforceSchemas({ ...plain, checkSchemas }), countTokens }
  return {
    openAi: loadOnce(async () => {
      const { createOpenAiCompat } = await import('#compat/openai/openai-compat.ts')
      return createOpenAiCompat(deps)
    }),
    anthropic: loadOnce(async () => {
      const { createAnthropicCompat } = await import('#compat/anthropic/anthropic-compat.ts')
      return createAnthropicCompat(deps)
    }),
    gemini: loadOnce(async () => {
      const { createGeminiCompat } = await import('#compat/gemini/gemini-compat.ts')
      return createGeminiCompat(deps)
    }),
  }
}

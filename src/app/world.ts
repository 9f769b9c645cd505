import { repeat } from '#core/repeat.ts'
import { createMediaIo } from '#engine/tasks/media-io.ts'
import { openGraphTools } from '#graph/expressions/graph-tools.ts'
import { reservePort } from '#http/reserved-port.ts'
import { createMediaStore } from '#media/media-store.ts'
import { openBlobs } from '#media/open-blobs.ts'
import { createThumbnails } from '#media/thumbnails/thumbnails.ts'
import { addressKeys } from '#operate/installation/secret-keys.ts'
import { openMetrics } from '#operate/metrics/open-metrics.ts'
import { openReadiness } from '#operate/readiness.ts'
import { watchFiles } from '#operate/settings-file-watch.ts'
import { openTracing, withTraces } from '#operate/tracing/open-tracing.ts'
import { createGateway } from '#outbound/gateway.ts'
import { openProviders } from '#providers/configured/provider-set.ts'
import { openDiscovery } from './discovery.ts'
import { openIdentity } from './identity.ts'
import type { Base, Stores } from './stores.ts'

/** How late a price that changes with the day or the hour may be applied. */
const pricedEveryMs = 60_000

export type World = Awaited<ReturnType<typeof openWorld>>

/** Everything around the engine: our address, providers, media, the network, callers. */
export async function openWorld(
  base: Base,
  { keys, box, chats }: Stores,
  env: Record<string, string | undefined>,
) {
  const { config, db, clock, log, onClose } = base
  const reserved = await reservePort(config.HOST, config.PORT)
  onClose(reserved.release)
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST
  const baseUrl = config.BASE_URL || `http://${host}:${reserved.port}`
  const set = await openProviders(config, env, clock)
  onClose(() => set.close())
  onClose(
    repeat(
      pricedEveryMs,
      async () => set.priceAgain(),
      (err) => log.error({ err }, 'prices'),
    ),
  )
  const files = watchFiles(set, { config, log, clock })
  onClose(files.stop)
  const answerWithinMs = config.HANDLER_TIMEOUT_SECONDS * 1000
  const { dataDir, MEDIA_URL: mediaUrl } = config
  const blobs = await openBlobs({ dataDir, mediaUrl, clock, answerWithinMs })
  const readiness = openReadiness({ db, chats, media: blobs, nowMs: clock.nowMs })
  const counts = await openMetrics(config.METRICS_LISTEN, { db, readiness, nowMs: clock.nowMs })
  const tracing = await openTracing({ config, clock, log, metrics: counts })
  onClose(counts.close, async () => tracing?.close())
  const metrics = withTraces(counts, tracing)
  const media = createMediaStore({ blobs, db, clock, baseUrl, ...addressKeys(keys) })
  const thumbnails = createThumbnails()
  onClose(async () => thumbnails.close())
  const gateway = createGateway({ allow: config.OUTBOUND_ALLOW })
  const providerGateway = createGateway({ allow: ['0.0.0.0/0', '::/0'] })
  onClose(() => Promise.all([gateway.close(), providerGateway.close()]))
  const mediaIo = createMediaIo({
    media,
    gateway,
    providerGateway,
    providerOrigins: set.origins,
    maxResultBytes: config.MEDIA_MAX_BYTES,
  })
  // Two thirds of a handler's time, so that it can still answer that the server is too busy.
  const graphTools = openGraphTools({ patienceMs: (config.HANDLER_TIMEOUT_SECONDS * 2000) / 3 })
  onClose(graphTools.close)
  const identity = await openIdentity({ ...base, box, chats, baseUrl })
  onClose(() => identity.verifier.close())
  return {
    reserved,
    baseUrl,
    discovery: openDiscovery({ config, env, clock, gateway: providerGateway }),
    identity,
    set,
    files,
    blobs,
    media,
    thumbnails,
    mediaIo,
    gateway,
    graphTools,
    metrics,
    readiness,
  }
}

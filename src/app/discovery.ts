// The models of the operator's endpoints, for the console. Only endpoints that are in MODELS_FILE are
// asked: a new address is given on the server's machine, since calls to endpoints may reach private
// networks.
import type { ConsoleServices } from '#api/console/context.ts'
import type { Config, Environment } from '#config'
import type { Clock } from '#core/clock.ts'
import { Failure } from '#core/errors.ts'
import type { DiscoverContext } from '#operate/machine/discover-models.ts'
import type { Asked } from '#operate/machine/fetch-json.ts'
import { MachineRefused } from '#operate/machine/machine-access.ts'
import type { Gateway } from '#outbound/gateway.ts'
import { OutboundFailed, OutboundRefused } from '#outbound/outbound-errors.ts'

const request = { timeoutMs: 15_000, maxBytes: 8 * 2 ** 20 }

type Deps = { config: Config; env: Environment; clock: Clock; gateway: Gateway }

export function openDiscovery({ config, env, clock, gateway }: Deps): ConsoleServices['discovery'] {
  const load = () => import('#operate/machine/discover-models.ts')
  const context = (signal: AbortSignal): DiscoverContext => ({
    ...{ config, env, signal },
    ask: (url, asked) => askThrough(gateway, url, asked),
  })
  return {
    find: async (signal) => (await load()).discoverEndpoints(context(signal)).catch(refused),
    take: async (taking, signal) =>
      (await load())
        .takeDiscovered(context(signal), { ...taking, nowMs: clock.nowMs() })
        .catch(refused),
  }
}

function refused(error: unknown): never {
  if (!(error instanceof MachineRefused)) throw error
  throw new Failure('PROVIDER_UNAVAILABLE', { message: error.message, cause: error })
}

/** Null if it answers no JSON, as `discoverModels` asks for it. */
async function askThrough(gateway: Gateway, url: string, { headers, body, signal }: Asked) {
  try {
    const answer = await gateway.request(url, {
      ...{ ...request, signal, method: body ? 'POST' : 'GET' },
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const chunks: Buffer[] = []
    for await (const chunk of answer.body) chunks.push(chunk)
    return answer.status === 200 ? JSON.parse(Buffer.concat(chunks).toString()) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    const isOutside = error instanceof OutboundFailed || error instanceof OutboundRefused
    if (!isOutside) throw error
    throw new MachineRefused(`${new URL(url).host} cannot be reached: ${error.message}`)
  }
}

import type { Config, Environment } from '#config'
import { addToModelsFile, compareModels } from '#providers/discovery/add-to-models-file.ts'
import { type Discovery, discoverModels } from '#providers/discovery/discover-models.ts'
import type { ModelsFile } from '#providers/models-file.ts'
import { type Asked, fetchJson } from './fetch-json.ts'
import { MachineRefused } from './machine-access.ts'
import { readModelsFile, writeSettingsFile } from './settings-files.ts'

type Endpoint = NonNullable<ModelsFile['endpoints']>[number]

export type DiscoverContext = {
  config: Config
  env: Environment
  signal: AbortSignal
  /** How addresses are asked, if not directly; null if they answer no JSON. */
  ask?: (url: string, asked: Asked) => Promise<unknown>
}

/** `at`: an address, or the name of an endpoint in MODELS_FILE. */
export type DiscoverOptions = {
  at: string
  name: string | undefined
  keyVariable: string | undefined
  isFree: boolean
}

/** The models of a server, compared with MODELS_FILE, and the file that has them all. */
export async function discoverHere(context: DiscoverContext, options: DiscoverOptions) {
  const file = await readModelsFile(context.config)
  const known = file.endpoints?.find(({ name }) => name === options.at)
  const address = known?.baseUrl ?? options.at
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    const names = file.endpoints?.map(({ name }) => name).join(', ') || 'none'
    throw new MachineRefused(
      `"${options.at}" is neither an http:// or https:// address nor an endpoint of MODELS_FILE (${names}).`,
    )
  }
  const key = keyOf(known ?? { apiKeyVariable: options.keyVariable }, context.env)
  const { baseUrl, found } = await findModels(address, key, context)
  const name = known?.name ?? options.name ?? found.server ?? nameFor(address)
  if (!known && file.endpoints?.some((other) => other.name === name)) {
    throw new MachineRefused(
      `MODELS_FILE has an endpoint "${name}" already. Choose another --name, or give "${name}" instead of the address.`,
    )
  }
  const { keyVariable: apiKeyVariable, isFree } = options
  const endpoint: Endpoint = known ?? {
    name,
    baseUrl,
    ...(apiKeyVariable ? { apiKeyVariable } : {}),
  }
  const compared = compareModels(file, name, found.models, { isFree })
  const text = addToModelsFile(file, { endpoint, models: compared.added })
  return { endpoint, server: found.server, ...compared, text }
}

/** What each endpoint of MODELS_FILE has that speaks OpenAI's protocol; one may be out of reach. */
export async function discoverEndpoints(context: DiscoverContext) {
  const { endpoints = [] } = await readModelsFile(context.config)
  const plain = endpoints.filter(({ type }) => type === undefined)
  return Promise.all(
    plain.map(async ({ name, baseUrl }) => {
      try {
        const { added, known, gone } = await discoverHere(context, knownEndpoint(name, false))
        return { name, baseUrl, problem: null, added, known: known.length, gone }
      } catch (error) {
        if (!(error instanceof MachineRefused)) throw error
        return { name, baseUrl, problem: error.message, added: [], known: 0, gone: [] }
      }
    }),
  )
}

const knownEndpoint = (at: string, isFree: boolean): DiscoverOptions => ({
  ...{ at, isFree, name: undefined, keyVariable: undefined },
})

/** Adds those of an endpoint's models to MODELS_FILE; null if the endpoint is not in it. */
export async function takeDiscovered(
  context: DiscoverContext,
  { endpoint, ids, isFree, nowMs }: Taking,
): Promise<number | null> {
  const { endpoints = [] } = await readModelsFile(context.config)
  if (!endpoints.some(({ name }) => name === endpoint)) return null
  const { added } = await discoverHere(context, knownEndpoint(endpoint, isFree))
  const models = added.filter(({ id }) => ids.includes(id))
  const file = await readModelsFile(context.config)
  const text = addToModelsFile(file, { models })
  try {
    await writeSettingsFile(context.config, 'MODELS_FILE', { text, nowMs })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new MachineRefused(`The server may not write MODELS_FILE (${code}).`)
  }
  return models.length
}

export type Taking = { endpoint: string; ids: readonly string[]; isFree: boolean; nowMs: number }

/** As an endpoint may be called. */
const nameFor = (address: string): string =>
  new URL(address).hostname
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 40)

function keyOf(
  { apiKey, apiKeyVariable }: Pick<Endpoint, 'apiKey'> & { apiKeyVariable?: string | undefined },
  env: Environment,
): string {
  if (apiKeyVariable && !env[apiKeyVariable])
    throw new MachineRefused(`${apiKeyVariable} is not set.`)
  return apiKey ?? (apiKeyVariable ? env[apiKeyVariable] : undefined) ?? ''
}

/** People give the address of a server with or without /v1. */
async function findModels(
  address: string,
  key: string,
  { signal, ask: fetched = fetchJson }: DiscoverContext,
): Promise<{ baseUrl: string; found: Discovery }> {
  const headers: Record<string, string> = key === '' ? {} : { authorization: `Bearer ${key}` }
  const ask = (url: string, body?: object) =>
    fetched(url, { headers, signal, ...(body ? { body } : {}) })
  const base = address.replace(/\/+$/, '')
  for (const baseUrl of /\/v\d+$/.test(base) ? [base] : [`${base}/v1`, base]) {
    const found = await discoverModels(baseUrl, ask)
    if (found) return { baseUrl, found }
  }
  throw new MachineRefused(
    `${base} lists no models at /models or /v1/models. It may need a key (--key-variable), or another address.`,
  )
}

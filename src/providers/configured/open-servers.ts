// Opens the servers that MODELS_FILE names: its endpoints, and the deployments of a provider, each of
// which is one key with perhaps an address of its own. Keys in the environment that have names are
// deployments, too.
import type { LaneLimits } from '#core/lane.ts'
import {
  type FileDeployment,
  type FileEndpoint,
  type ModelsFile,
  ModelsFileError,
} from '../models-file.ts'
import type { Deployment, Provider, ProviderAccess } from '../provider.ts'
import type { KeyedProvider } from './keyed-providers.ts'

export type Env = Record<string, string | undefined>

export type OpenEndpoint = ProviderAccess & {
  provider: Provider
  hasKey: boolean
  settings: string
}

export type OpenDeployment = Deployment & {
  baseUrl: string
  limits: LaneLimits | undefined
  settings: string
}

export type Servers = {
  endpoints: ReadonlyMap<string, OpenEndpoint>
  /** By provider; never empty lists. */
  deployments: ReadonlyMap<string, readonly OpenDeployment[]>
}

type Context = {
  env: Env
  /** Providers that are there without the file. */
  own: ReadonlyMap<string, Provider>
  keyed: readonly KeyedProvider[]
  /** What was read before: a server whose settings are unchanged keeps its connections. */
  known?: Servers
}

export async function openServers(
  { endpoints: written = [], deployments: named = [] }: ModelsFile,
  context: Context,
): Promise<Servers> {
  const { env, own, known } = context
  const endpoints = new Map<string, OpenEndpoint>()
  for (const endpoint of written) {
    const { name, baseUrl } = endpoint
    if (own.has(name) || endpoints.has(name)) throw new Error(`has the name "${name}" twice`)
    const settings = JSON.stringify(endpoint)
    const same = known?.endpoints.get(name)
    const where = `endpoint "${name}"`
    const key = keyOf(endpoint, env, where)
    const provider =
      same?.settings === settings ? same.provider : await openAt(endpoint, key ?? '', where)
    const open = (given: string) => openAt(endpoint, given, where)
    const hasKey = key !== undefined || endpoint.profile !== undefined
    endpoints.set(name, { provider, baseUrl, hasKey, settings, open })
  }
  const opened = new Map<string, OpenDeployment[]>()
  const add = async (deployment: FileDeployment, server: Server) => {
    const { provider, name } = deployment
    const list = opened.get(provider) ?? []
    if (list.some((other) => other.name === name))
      throw new ModelsFileError(`has the deployment "${name}" of "${provider}" twice`)
    const before = known?.deployments.get(provider)?.find((other) => other.name === name)
    opened.set(provider, [...list, await openDeployment(deployment, server, { env, before })])
  }
  for (const deployment of named) {
    const { provider } = deployment
    const endpoint = written.find(({ name }) => name === provider)
    const keyed = context.keyed.find(({ name }) => name === provider)
    const embedded = own.get(provider)
    if (endpoint) await add(deployment, { endpoint })
    else if (keyed) await add(deployment, { keyed })
    else if (embedded) await add(deployment, { embedded })
    else throw new ModelsFileError(`has a deployment of "${provider}", which takes no keys`)
  }
  for (const keyed of context.keyed) {
    if (opened.has(keyed.name)) continue
    for (const { name, key } of keyed.keys)
      await add({ provider: keyed.name, name, apiKey: key }, { keyed })
  }
  return { endpoints, deployments: opened }
}

/** The embedded one takes no key; it lets you try deployments. */
type Server = { endpoint: FileEndpoint } | { keyed: KeyedProvider } | { embedded: Provider }

/** What a deployment does not name is as its endpoint says; a key only together. */
async function openDeployment(
  deployment: FileDeployment,
  server: Server,
  { env, before }: { env: Env; before: OpenDeployment | undefined },
): Promise<OpenDeployment> {
  const { provider: providerName, name, weight = 1, models } = deployment
  const { concurrency, requestsPerMinute, tokensPerMinute } = deployment
  const where = `deployment "${name}" of "${providerName}"`
  const limits = { concurrency, requestsPerMinute, tokensPerMinute }
  const hasLimits = Object.values(limits).some((limit) => limit !== undefined)
  const given = 'endpoint' in server ? merged(server.endpoint, deployment) : deployment
  const key = keyOf(given, env, where)
  const settings = JSON.stringify([given, key])
  const isSame = before?.settings === settings
  const baseUrl = given.baseUrl ?? addressOf(server)
  const open = () => {
    if ('embedded' in server) return server.embedded
    checkAddress(baseUrl, where)
    if ('endpoint' in server)
      return openAt({ ...server.endpoint, ...given, baseUrl }, key ?? '', where)
    checkFields(deployment, 'openai', where)
    if (key === undefined) throw new Error(`names no key (${where})`)
    return server.keyed.open(key, baseUrl)
  }
  const provider = isSame ? before.provider : await open()
  return {
    ...{ name, provider, weight, baseUrl, settings },
    models: models ? new Map(Object.entries(models)) : null,
    limits: hasLimits ? limits : undefined,
  }
}

function addressOf(server: Server): string {
  if ('endpoint' in server) return server.endpoint.baseUrl
  return 'keyed' in server ? server.keyed.baseUrl : ''
}

type Access = Omit<FileEndpoint, 'name' | 'baseUrl' | 'type'> & { baseUrl?: string }

function merged(endpoint: FileEndpoint, deployment: FileDeployment): Access {
  const { apiKey, apiKeyVariable, profile, ...shared } = endpoint
  const { baseUrl, apiVersion, bearer, region } = deployment
  const own = {
    apiKey: deployment.apiKey,
    apiKeyVariable: deployment.apiKeyVariable,
    profile: deployment.profile,
  }
  const hasOwn = Object.values(own).some((value) => value !== undefined)
  return {
    baseUrl: baseUrl ?? shared.baseUrl,
    apiVersion: apiVersion ?? shared.apiVersion,
    bearer: bearer ?? shared.bearer,
    // An address of its own may be in another region.
    region: region ?? (baseUrl === undefined ? shared.region : undefined),
    ...(hasOwn ? own : { apiKey, apiKeyVariable, profile }),
  }
}

/** Undefined if none is named. */
function keyOf({ apiKey, apiKeyVariable }: Access, env: Env, where: string): string | undefined {
  const key = apiKey ?? (apiKeyVariable ? env[apiKeyVariable] : undefined)
  if (apiKeyVariable && !key)
    throw new Error(`names ${apiKeyVariable}, which is not set (${where})`)
  return key
}

function checkAddress(baseUrl: string, where: string) {
  if (!URL.canParse(baseUrl)) throw new Error(`has no address in baseUrl of ${where}`)
}

const fieldsOf = {
  openai: [],
  azure: ['apiVersion', 'bearer'],
  bedrock: ['region', 'profile'],
} as const satisfies Record<string, readonly (keyof Access)[]>

/** A setting that has no effect is a mistake. */
function checkFields(given: Access, type: keyof typeof fieldsOf, where: string) {
  const own: readonly string[] = fieldsOf[type]
  for (const field of [...fieldsOf.azure, ...fieldsOf.bedrock]) {
    if (given[field] !== undefined && !own.includes(field))
      throw new ModelsFileError(`names ${field}, which has no effect here (${where})`)
  }
}

async function openAt(endpoint: FileEndpoint, apiKey: string, where: string): Promise<Provider> {
  const { name, type = 'openai', apiVersion, bearer, region, profile } = endpoint
  checkAddress(endpoint.baseUrl, where)
  checkFields(endpoint, type, where)
  const address = { name, apiKey, baseUrl: endpoint.baseUrl.replace(/\/+$/, '') }
  switch (type) {
    case 'openai': {
      const { createOpenAiProvider } = await import('../openai/adapter.ts')
      return createOpenAiProvider({ ...address, dialect: 'compatible' })
    }
    case 'azure': {
      const { createAzureProvider } = await import('../openai/azure.ts')
      return createAzureProvider({ ...address, apiVersion, isToken: bearer === true })
    }
    case 'bedrock': {
      const { createBedrockProvider } = await import('../anthropic/bedrock.ts')
      return createBedrockProvider({ ...address, region, profile })
    }
    default:
      return type satisfies never
  }
}

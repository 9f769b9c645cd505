import type { Config, Environment } from '#config'
import { type KeyedProvider, keyedProviders } from '#providers/configured/keyed-providers.ts'
import type { FileEndpoint, ModelsFile } from '#providers/models-file.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

/** A call that costs nothing and fails with a wrong key. */
type Probe = { name: string; variable: string; url: string; headers: Record<string, string> }

const timeoutMs = 8000
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const probes: Record<string, { path: string; headers(key: string): Record<string, string> }> = {
  openai: { path: '/models', headers: bearer },
  anthropic: {
    path: '/v1/models?limit=1',
    headers: (key) => ({ ...bearer(key), 'anthropic-version': '2026-10-21' }),
  },
  gemini: { path: '/v1beta/models?pageSize=1', headers: (key) => ({ 'x-goog-api-key': key }) },
  fal: {
    // fal has no listing that requires a key. The status of a request that does not exist is
    // "not found" with a good key and refused with a bad one.
    path: '/fal-ai/flux/requests/00000000-0000-0000-0000-000000000000/status',
    headers: (key) => ({ authorization: `Key ${key}` }),
  },
  replicate: { path: '/v1/account', headers: bearer },
}

type Key = { name: string; variable: string; baseUrl: string; key: string }

const probeOf = (provider: string, { name, variable, baseUrl, key }: Key): Probe[] => {
  const probe = probes[provider]
  if (!probe) return []
  return [{ name, variable, url: `${baseUrl}${probe.path}`, headers: probe.headers(key) }]
}

/** The key of the setting, or each if it has several. */
const probesOf = ({ name, keyVariable, baseUrl, apiKey, keys }: KeyedProvider): Probe[] => {
  const all =
    keys.length > 0
      ? keys.map((one) => ({ name: `${name}/${one.name}`, key: one.key }))
      : [{ name, key: apiKey }]
  return all.flatMap((one) => probeOf(name, { ...one, variable: keyVariable, baseUrl }))
}

type Server = Pick<FileEndpoint, 'apiKey' | 'apiKeyVariable' | 'apiVersion' | 'bearer'>

const keyIn = ({ apiKey, apiKeyVariable }: Server, env: Environment): string =>
  apiKey ?? (apiKeyVariable ? env[apiKeyVariable] : undefined) ?? ''

/** Bedrock has no listing that its key alone may see. */
function endpointProbe(name: string, server: FileEndpoint, env: Environment): Probe[] {
  const { type = 'openai', baseUrl, apiVersion, bearer: isToken } = server
  const key = keyIn(server, env)
  const variable = server.apiKeyVariable ?? 'MODELS_FILE'
  const base = baseUrl.replace(/\/+$/, '')
  if (type === 'bedrock') return []
  if (type === 'openai')
    return [{ name, variable, url: `${base}/models`, headers: key === '' ? {} : bearer(key) }]
  const resource = base.replace(/\/openai(\/v1)?$/, '')
  const path = apiVersion ? `/openai/models?api-version=${apiVersion}` : '/openai/v1/models'
  const headers: Record<string, string> = isToken ? bearer(key) : { 'api-key': key }
  return [{ name, variable, url: `${resource}${path}`, headers }]
}

function fromFile(file: ModelsFile, config: Config, env: Environment): Probe[] {
  const { endpoints = [], deployments = [] } = file
  const deployed = deployments.flatMap(({ provider, name, ...own }) => {
    const endpoint = endpoints.find((one) => one.name === provider)
    const shown = `${provider}/${name}`
    if (endpoint) return endpointProbe(shown, { ...endpoint, ...own, name }, env)
    const keyed = keyedProviders(config).find((one) => one.name === provider)
    const { baseUrl = keyed?.baseUrl ?? '', apiKeyVariable: variable = 'MODELS_FILE' } = own
    return probeOf(provider, { name: shown, variable, baseUrl, key: keyIn(own, env) })
  })
  const isDeployed = (name: string) => deployments.some(({ provider }) => provider === name)
  const plain = endpoints.filter(({ name }) => !isDeployed(name))
  return [...plain.flatMap((one) => endpointProbe(one.name, one, env)), ...deployed]
}

/** Those whose key is set. */
export const withKey = (config: Config): KeyedProvider[] =>
  keyedProviders(config).filter(({ apiKey }) => apiKey !== '')

export async function checkProviders(
  { config, modelsFile }: { config: Config; modelsFile: ModelsFile },
  env: Environment,
  signal: AbortSignal,
): Promise<Finding[]> {
  const probed = [...withKey(config).flatMap(probesOf), ...fromFile(modelsFile, config, env)]
  const unset = keyedProviders(config).flatMap((one) => (one.apiKey ? [] : [one.keyVariable]))
  if (probed.length === 0) {
    const advice = `For real models set one of ${unset.join(', ')}.`
    return [warn('providers', 'only the demonstration models are available', advice)]
  }
  const findings = await Promise.all(probed.map((probe) => ask(probe, signal)))
  return unset.length === 0
    ? findings
    : [...findings, ok('providers', `not set: ${unset.join(', ')}`)]
}

async function ask({ name, variable, url, headers }: Probe, signal: AbortSignal): Promise<Finding> {
  const check = `provider ${name}`
  const { host } = new URL(url)
  try {
    const answer = await fetch(url, {
      headers,
      // Following a redirect could send the key to another host.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    await answer.body?.cancel()
    return judge({ check, host, variable }, answer.status)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const advice = 'Check the network, and the base address if it is set.'
    return fail(check, `${host} cannot be reached: ${reasonOf(error)}`, advice)
  }
}

function judge(
  { check, host, variable }: { check: string; host: string; variable: string },
  status: number,
): Finding {
  if (status >= 200 && status < 300) return ok(check, `${host} accepts the key`)
  // Gemini answers 400 to an unknown key.
  if (status === 401 || status === 403 || (status === 400 && variable === 'GEMINI_API_KEY')) {
    return fail(check, `${host} refuses the key (${status})`, `Check ${variable}.`)
  }
  if (status === 404 && variable === 'FAL_KEY') return ok(check, `${host} does not refuse the key`)
  if (status === 429 || status >= 500) {
    return warn(check, `${host} answers ${status}`, 'It is busy or failing: try again later.')
  }
  const advice = 'The address may be wrong, or it has no such listing: try one of its models.'
  return warn(check, `${host} can be reached, but answers ${status}`, advice)
}

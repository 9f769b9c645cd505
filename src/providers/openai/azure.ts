// OpenAI's models on Azure: the same protocol at other addresses. A resource has either the newer
// addresses under /openai/v1, or older ones, which name a version and the deployment that is called.
// There a model's name is that of its deployment.
import type { Dispatcher } from 'undici'
import type { Provider } from '#providers/provider.ts'
import { createOpenAiProvider } from './adapter.ts'

type AzureOptions = {
  name: string
  /** A key of the resource, or a token of Entra if `isToken`. */
  apiKey: string
  /** Of the resource, as in https://acme.openai.azure.com */
  baseUrl: string
  /** Of the older addresses; without it, the newer ones are used. */
  apiVersion?: string | undefined
  isToken: boolean
  dispatcher?: Dispatcher
}

export function createAzureProvider(options: AzureOptions): Provider {
  const { name, apiKey, apiVersion, isToken, dispatcher } = options
  const resource = options.baseUrl.replace(/\/openai(\/v1)?\/?$/, '')
  const shared = {
    ...{ name, apiKey },
    ...(isToken ? {} : { headers: { 'api-key': apiKey } }),
    ...(dispatcher ? { dispatcher } : {}),
  }
  if (apiVersion === undefined)
    return createOpenAiProvider({ ...shared, baseUrl: `${resource}/openai/v1`, dialect: 'openai' })
  const pathOf = (at: string, model: string | undefined) =>
    `${model === undefined ? '' : `/deployments/${encodeURIComponent(model)}`}${at}?api-version=${apiVersion}`
  return createOpenAiProvider({
    ...shared,
    ...{ baseUrl: `${resource}/openai`, dialect: 'azure', pathOf },
  })
}

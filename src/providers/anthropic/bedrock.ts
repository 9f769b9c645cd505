// Anthropic's models on Amazon Bedrock. Bodies and events are those of Anthropic's own API; the
// address names the model, requests are signed or carry a key of Bedrock, and streams are framed by
// AWS. Promises one HTTP exchange per call and an honest outcome when it fails. Never retries.
import type { Dispatcher } from 'undici'
import { type Call, openEndpoint } from '#providers/http-call.ts'
import { textOf } from '#providers/json-shape.ts'
import { type Provider, ProviderError, type TextRequest } from '#providers/provider.ts'
import { streamOf } from '#providers/streamed-text.ts'
import type { Answer, Upstream } from '#providers/upstream.ts'
import { readFrames } from './bedrock-frames.ts'
import { refusal } from './bedrock-response.ts'
import { createSigner, type Sign } from './bedrock-sign.ts'
import { messagesBody } from './request.ts'
import { readMessage } from './response.ts'
import { messageStream } from './stream.ts'

type BedrockOptions = {
  name: string
  /** A key of Bedrock; empty: requests are signed with the credentials of AWS. */
  apiKey: string
  /** As in https://bedrock-runtime.us-east-1.amazonaws.com */
  baseUrl: string
  /** If the address does not name it. */
  region?: string | undefined
  profile?: string | undefined
  sign?: Sign
  dispatcher?: Dispatcher
}

/** The only one that Bedrock knows. */
const apiVersion = 'bedrock-2023-05-31'

export function createBedrockProvider(options: BedrockOptions): Provider {
  const { name, apiKey, baseUrl, profile, dispatcher } = options
  const region = options.region ?? regionIn(baseUrl)
  if (apiKey === '' && region === undefined)
    throw new Error(`needs a region, which the address of "${name}" does not name`)
  const endpoint = openEndpoint({
    ...{ name, baseUrl },
    headers: apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` },
    secrets: [apiKey],
    ...(dispatcher ? { dispatcher } : {}),
  })
  const sign = options.sign ?? createSigner({ region: region ?? '', profile })
  const callOf = async (request: TextRequest, action: string): Promise<Omit<Call, 'signal'>> => {
    const { model } = request
    const at = `/model/${encodeURIComponent(model)}/${action}`
    const body = JSON.stringify(invokeBody(endpoint, request))
    const call = { method: 'POST', at, body, model } as const
    if (apiKey !== '') return call
    const url = new URL(`${endpoint.base}${at}`)
    return { ...call, headers: await signed(endpoint, () => sign({ url, body })) }
  }
  return {
    name,
    async generateText(request, { signal }) {
      const answer = await endpoint.call({ ...(await callOf(request, 'invoke')), signal })
      if (answer.status !== 200) throw refusal(endpoint, answer)
      return { ...readMessage(endpoint, answer), requestId: requestIdOf(answer) }
    },
    async *streamText(request, { signal }) {
      const call = { ...(await callOf(request, 'invoke-with-response-stream')), signal }
      yield* streamOf(endpoint, call, {
        requestId: requestIdOf,
        refused: (answer) => refusal(endpoint, answer),
        open: (answer) => messageStream(endpoint, answer),
        events: readFrames,
      })
    },
    close: endpoint.close,
  }
}

/** The path has the model, and says whether the answer is a stream. */
function invokeBody(upstream: Upstream, request: TextRequest) {
  const { model: _, ...body } = messagesBody(upstream, {
    ...request,
    model: nameOf(request.model),
  })
  return { anthropic_version: apiVersion, ...body }
}

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0` is what Anthropic calls the part in the middle. */
const nameOf = (model: string): string =>
  model.replace(/^.*anthropic\./, '').replace(/-v\d+(:\d+)?$/, '')

const regionIn = (baseUrl: string): string | undefined =>
  /^bedrock-runtime(?:-fips)?\.(?<region>[a-z0-9-]+)\./.exec(new URL(baseUrl).hostname)?.groups
    ?.region

const requestIdOf = ({ headers }: Answer): string | null =>
  textOf(headers['x-amzn-requestid']) ?? null

/** Credentials that cannot be read are a matter of the key: nothing was sent. */
async function signed(upstream: Upstream, sign: () => ReturnType<Sign>) {
  try {
    return await sign()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const message = `${upstream.name}: the request was not signed: ${why}`.slice(0, 300)
    throw new ProviderError('auth', { outcome: 'not_sent', message, cause })
  }
}

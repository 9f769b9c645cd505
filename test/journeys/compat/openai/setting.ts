import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import OpenAI from 'openai'
import { type Bench, type BenchOptions, openBench } from '../../generation/setting.ts'

export const clientOf = (bench: Pick<Bench, 'url'>, apiKey: string): OpenAI =>
  new OpenAI({ baseURL: `${bench.url}/v1`, apiKey })

/** One priced model for each provider that streams: 2 and 8 millionths per token. */
export const streamingModels = {
  models: (['openai', 'local', 'anthropic', 'gemini'] as const).map((provider) => ({
    id: `test/${provider}`,
    provider,
    providerModel: `${provider}-model`,
    kind: 'TEXT',
    capabilities: { inputModalities: ['text', 'image'], temperature: { min: 0, max: 2 } },
    pricing: { inputPerMillionTokens: 2, outputPerMillionTokens: 8 },
  })),
}

export const openGateway = (t: TestContext, options: BenchOptions = {}): Promise<Bench> =>
  openBench(t, { models: streamingModels, ...options })

export const says = (content: string) => [{ role: 'user' as const, content }]

type Failed = { status: number | undefined; code: unknown; type: unknown; param: unknown }

/** How the official client puts the failure of a call. */
export async function failureOf(
  call: Promise<unknown>,
): Promise<Failed & { error: InstanceType<typeof OpenAI.APIError> }> {
  try {
    await call
  } catch (error) {
    assert.ok(error instanceof OpenAI.APIError, String(error))
    const { status, code, type, param } = error
    return { status, code, type, param, error }
  }
  throw new Error('the call succeeded')
}

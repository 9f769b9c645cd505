import type { Capabilities, ModelKind, Pricing } from './catalogue.ts'

export type BuiltinModel = {
  /** `provider/model`, as callers write it. */
  id: string
  provider: 'openai' | 'anthropic' | 'gemini' | 'fal' | 'replicate'
  /** The name it has there. */
  providerModel: string
  name: string
  kind: ModelKind
  description: string
  capabilities: Capabilities
  pricing?: Pricing & { priceSource: string; priceDate: string }
}

export const from = (
  provider: BuiltinModel['provider'],
  providerModel: string,
  shortName = providerModel,
) => ({ id: `${provider}/${shortName}`, provider, providerModel })

/** `priceDate`: the day the source states, else the day it was looked up. */
export const flat = (price: Partial<Pricing>, priceDate: string, priceSource: string) => ({
  currency: 'USD',
  ...price,
  priceSource,
  priceDate,
})

export const seesImages: Capabilities['inputModalities'] = ['text', 'image']

export const commonRatios = [
  '1:1',
  '2:3',
  '3:2',
  '3:4',
  '4:3',
  '4:5',
  '5:4',
  '9:16',
  '16:9',
  '21:9',
]

import type { StandInPrice } from '#console/api/types.ts'

type Pricing = NonNullable<StandInPrice['pricing']>
export type PriceName = keyof Pricing

const perToken: PriceName[] = ['inputPerMillionTokens', 'outputPerMillionTokens']
const asked: Record<string, PriceName[]> = {
  TEXT: perToken,
  CODE: perToken,
  IMAGE: ['perImage'],
  VIDEO: ['perSecond'],
  EMBEDDING: ['inputPerMillionTokens'],
  SPEECH: ['inputPerMillionCharacters'],
  TRANSCRIPTION: ['inputAudioPerHour'],
}

/** The prices that a model of this kind is asked for. */
export const pricesOf = (kind: string): PriceName[] => asked[kind] ?? perToken

export const priceLabels: Record<PriceName, string> = {
  inputPerMillionTokens: 'Per million tokens in',
  outputPerMillionTokens: 'Per million tokens out',
  perImage: 'Per image',
  perSecond: 'Per second',
  inputAudioPerHour: 'Per hour of sound',
  inputPerMillionCharacters: 'Per million characters',
}

/** What was typed, as prices; null if one of them is missing or is no price. */
export function readPrices(kind: string, typed: Readonly<Record<string, string>>): Pricing | null {
  const read: Pricing = {}
  for (const name of pricesOf(kind)) {
    const text = (typed[name] ?? '').trim()
    if (text === '' || !(Number(text) >= 0)) return null
    read[name] = Number(text)
  }
  return read
}

import { anthropicWire } from './anthropic.ts'
import { falWire } from './fal.ts'
import { geminiWire } from './gemini.ts'
import { openAiWire } from './openai.ts'
import { replicateWire } from './replicate.ts'
import type { Wire } from './wire.ts'

export const wires = {
  openai: openAiWire,
  anthropic: anthropicWire,
  gemini: geminiWire,
  fal: falWire,
  replicate: replicateWire,
} as const satisfies Record<string, Wire>

export type DoubleKind = keyof typeof wires

import type { PaidEvent } from '#core/audio.ts'

/** `cost` (in US dollars) is not part of OpenAI's format: see chat-answer.ts. */
export function audioUsage({ units, costMicros }: PaidEvent): object {
  const cost = costMicros === null ? null : costMicros / 1e6
  const { inputTokens, outputTokens = 0, inputAudioTokens = 0, inputAudioSeconds } = units
  if (inputTokens === undefined) return { type: 'duration', seconds: inputAudioSeconds ?? 0, cost }
  return {
    type: 'tokens',
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_token_details: {
      audio_tokens: inputAudioTokens,
      text_tokens: inputTokens - inputAudioTokens,
    },
    cost,
  }
}

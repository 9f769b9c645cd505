import { createEmbedder } from '#engine/embed-texts.ts'
import { createSpeaker } from '#engine/speak-text.ts'
import { createTextStreamer } from '#engine/stream-text.ts'
import type { TextCallDeps } from '#engine/text-attempt.ts'
import { createTranscriber } from '#engine/transcribe-audio.ts'

/** Calls to providers that only the compatible APIs make. */
export const openCompatCalls = (deps: TextCallDeps) => ({
  streamText: createTextStreamer(deps),
  embedTexts: createEmbedder(deps),
  speakText: createSpeaker(deps),
  transcribe: createTranscriber(deps),
})

import { createEmbedder } from '#engine/calls/embed-texts.ts'
import { createSpeaker } from '#engine/calls/speak-text.ts'
import { createTextStreamer } from '#engine/calls/stream-text.ts'
import type { TextCallDeps } from '#engine/calls/text-attempt.ts'
import { createTranscriber } from '#engine/calls/transcribe-audio.ts'

/** Calls to providers that only the compatible APIs make. */
export const openCompatCalls = (deps: TextCallDeps) => ({
  streamText: createTextStreamer(deps),
  embedTexts: createEmbedder(deps),
  speakText: createSpeaker(deps),
  transcribe: createTranscriber(deps),
})

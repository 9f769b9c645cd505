// The types of calls that turn text into speech and speech into text: the request side, the work
// side and the adapters share them.
import type { Spender } from './generation.ts'
import type { PricedUnits } from './pricing.ts'
import type { StopSignal } from './stop.ts'

/** The largest recording that is accepted: OpenAI's own limit. */
export const maxAudioBytes = 25 * 1024 * 1024

export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
export type SpeechFormat = (typeof speechFormats)[number]

export const transcriptFormats = [
  'json',
  'text',
  'srt',
  'verbose_json',
  'vtt',
  'diarized_json',
] as const
export type TranscriptFormat = (typeof transcriptFormats)[number]

/** The text to speak, and how to speak it. */
export type Speech = {
  input: string
  /** The name of a built-in voice, or the id of a custom one. */
  voice: string | { id: string }
  format: SpeechFormat
  instructions?: string
  speed?: number
}

/** A recording as it was uploaded. Its name and type tell which format it has. */
export type AudioFile = { bytes: Uint8Array; fileName: string; mimeType: string }

/** What a transcript contains: the words alone, or also when or by whom they were said. */
export type TranscriptDetail = 'words' | 'times' | 'speakers'

export type Transcription = {
  file: AudioFile
  detail: TranscriptDetail
  language?: string
  /** The languages that the recording may be in. */
  languages?: string[]
  prompt?: string
  /** Unusual words that may occur in the recording. */
  keywords?: string[]
  temperature?: number
  granularities?: ('word' | 'segment')[]
  /** Also asks for the probability of each token. */
  wantsLogprobs?: true
  /** The provider splits long recordings at pauses. */
  isChunked?: true
}

/** `record`: everything the provider reports about it, in OpenAI's format, except the usage. */
export type Transcript = { text: string; record: Record<string, unknown> }

/** The last event of every successful call, sent once its attempt is settled. */
export type PaidEvent = { type: 'paid'; units: PricedUnits; costMicros: number | null }

/** A provider has accepted the call. `id` is that of the attempt in the ledger. */
type BeginEvent = { type: 'begin'; id: string; modelId: string }

export type SpeechPiece = { type: 'audio'; bytes: Uint8Array }

export type SpeechEvent = (BeginEvent & { mimeType: string }) | SpeechPiece | PaidEvent

export type TranscriptPiece =
  /** `record`: the event as the provider sent it, in OpenAI's format. */
  | { type: 'piece'; record: Record<string, unknown> }
  | { type: 'transcript'; transcript: Transcript }

export type TranscriptEvent = BeginEvent | TranscriptPiece | PaidEvent

type Options = { signal: StopSignal }

/**
 * Like `Transcribe`, throws a Failure either before or after `begin`. A consumer that stops
 * reading ends the call.
 */
export type SpeakText = (
  call: Speech & { principal: Spender; modelId: string },
  options: Options,
) => AsyncGenerator<SpeechEvent, void, undefined>

export type Transcribe = (
  call: Transcription & { principal: Spender; modelId: string; isStreamed: boolean },
  options: Options,
) => AsyncGenerator<TranscriptEvent, void, undefined>

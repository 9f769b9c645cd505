// The types of calls that turn text into speech and speech into text: the request side, the work
// side and the adapters share them.
import type { Spender } from './generation.ts'
import type { PricedUnits } from './pricing.ts'
import type { StopSignal } from './stop.ts'

/** The longest recording that is taken: OpenAI's own limit. */
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

/** What is to be said, and how. */
export type Speech = {
  input: string
  /** A name, or the id of a voice that its owner had made. */
  voice: string | { id: string }
  format: SpeechFormat
  instructions?: string
  speed?: number
}

/** A recording as it was uploaded: what it is, its name and type say. */
export type AudioFile = { bytes: Uint8Array; fileName: string; mimeType: string }

/** Of a recording, more than its words: when each was said, or by whom. */
export type TranscriptDetail = 'words' | 'times' | 'speakers'

export type Transcription = {
  file: AudioFile
  detail: TranscriptDetail
  language?: string
  /** Those it may be in. */
  languages?: string[]
  prompt?: string
  /** Words that may occur, which a model would not expect. */
  keywords?: string[]
  temperature?: number
  granularities?: ('word' | 'segment')[]
  /** Also asks for the probability of each token. */
  wantsLogprobs?: true
  /** The provider cuts long recordings where nobody speaks. */
  isChunked?: true
}

/** `record`: all that the provider says of it, in OpenAI's format, but for what it used. */
export type Transcript = { text: string; record: Record<string, unknown> }

/** Known once the attempt is settled: the last event of every call that ends well. */
export type PaidEvent = { type: 'paid'; units: PricedUnits; costMicros: number | null }

/** A provider has accepted the call. `id`: of the attempt in the ledger. */
type BeginEvent = { type: 'begin'; id: string; modelId: string }

export type SpeechPiece = { type: 'audio'; bytes: Uint8Array }

export type SpeechEvent = (BeginEvent & { mimeType: string }) | SpeechPiece | PaidEvent

export type TranscriptPiece =
  /** `record`: the event as the provider sent it, in OpenAI's format. */
  | { type: 'piece'; record: Record<string, unknown> }
  | { type: 'transcript'; transcript: Transcript }

export type TranscriptEvent = BeginEvent | TranscriptPiece | PaidEvent

type Options = { signal: StopSignal }

/** Both throw a Failure, before `begin` or after it. To stop reading ends the call. */
export type SpeakText = (
  call: Speech & { principal: Spender; modelId: string },
  options: Options,
) => AsyncGenerator<SpeechEvent, void, undefined>

export type Transcribe = (
  call: Transcription & { principal: Spender; modelId: string; isStreamed: boolean },
  options: Options,
) => AsyncGenerator<TranscriptEvent, void, undefined>

// Speech and transcripts as OpenAI sends them. The transcript is derived from the file's size.
import { at, dataEvent, inPieces, type Reply } from './wire.ts'

export const isAudioPath = (path: string): boolean =>
  path === '/v1/audio/speech' || path === '/v1/audio/transcriptions'

const soundOf = (body: unknown): Buffer => Buffer.from(`sound of ${String(at(body, 'input'))}`)

const types: Record<string, string> = { mp3: 'audio/mpeg', wav: 'audio/wav', pcm: 'audio/pcm' }

export const speak = (body: unknown): Reply => ({
  status: 200,
  headers: { 'content-type': types[String(at(body, 'response_format'))] ?? 'audio/ogg' },
  body: soundOf(body),
})

export function speakInEvents(body: unknown): string[] | undefined {
  if (at(body, 'stream_format') !== 'sse') return undefined
  const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 }
  return [
    ...inPieces(soundOf(body).toString('latin1')).map((piece) =>
      dataEvent({
        type: 'speech.audio.delta',
        audio: Buffer.from(piece, 'latin1').toString('base64'),
      }),
    ),
    dataEvent({ type: 'speech.audio.done', usage }),
  ]
}

const isPaidByTheToken = (body: unknown) => String(at(body, 'model')).includes('tokens')

const tokens = {
  type: 'tokens',
  input_tokens: 140,
  input_token_details: { audio_tokens: 130, text_tokens: 10 },
  output_tokens: 20,
  total_tokens: 160,
}

function heard(body: unknown) {
  const bytes = Buffer.from(String(at(body, 'file', 'base64')), 'base64').length
  const text = `Heard ${bytes} bytes. Goodbye.`
  const usage = isPaidByTheToken(body) ? tokens : { type: 'duration', seconds: 13 }
  return { text, usage }
}

export function transcribe(body: unknown): Reply {
  const { text, usage } = heard(body)
  const format = at(body, 'response_format')
  if (format === 'json') return { status: 200, body: { text, usage } }
  const [first, second] = text.split('. ')
  const timed = { task: 'transcribe', language: 'english', duration: 12.5, text, usage }
  if (format === 'verbose_json') {
    const detail = { seek: 0, tokens: [1], temperature: 0, avg_logprob: -0.1, no_speech_prob: 0 }
    const segments = [
      { id: 0, start: 0, end: 7.52, text: ` ${first}.`, ...detail, compression_ratio: 1 },
      { id: 1, start: 7.52, end: 3_661.05, text: ` ${second}`, ...detail, compression_ratio: 1 },
    ]
    return { status: 200, body: { ...timed, segments } }
  }
  if (format === 'diarized_json') {
    const type = 'transcript.text.segment'
    const segments = [{ type, id: 'seg_1', start: 0, end: 12.5, text, speaker: 'A' }]
    return { status: 200, body: { ...timed, segments } }
  }
  return { status: 400, body: { error: { message: `no format ${String(format)}` } } }
}

/** Models that bill by time do not stream: they answer at once even if asked to stream. */
export function transcribeInEvents(body: unknown): string[] | undefined {
  if (at(body, 'stream') !== 'true' || !isPaidByTheToken(body)) return undefined
  const { text, usage } = heard(body)
  return [
    ...inPieces(text).map((delta) => dataEvent({ type: 'transcript.text.delta', delta })),
    dataEvent({ type: 'transcript.text.done', text, usage }),
  ]
}

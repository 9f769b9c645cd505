import type { PaidEvent, Transcript, TranscriptEvent, TranscriptFormat } from '#core/audio.ts'
import { Failure } from '#core/errors.ts'
import { type CompatAnswer, type CompatCaller, dataLine } from '../compat-api.ts'
import { audioUsage } from './audio-usage.ts'
import { errorAnswer } from './error-answer.ts'
import { srtOf, vttOf } from './subtitles.ts'

type Ended = { transcript: Transcript; paid: PaidEvent }

const plain = 'text/plain; charset=utf-8'

/** Answers once the transcript is complete. */
export async function transcriptAnswer(
  events: AsyncIterable<TranscriptEvent>,
  format: TranscriptFormat,
): Promise<CompatAnswer> {
  let transcript: Transcript | undefined
  let paid: PaidEvent | undefined
  for await (const event of events) {
    if (event.type === 'transcript') transcript = event.transcript
    if (event.type === 'paid') paid = event
  }
  if (!transcript || !paid) throw new Failure('INTERNAL_ERROR')
  return written({ transcript, paid }, format)
}

function written({ transcript, paid }: Ended, format: TranscriptFormat): CompatAnswer {
  const { text, record } = transcript
  switch (format) {
    case 'text':
      return { text: `${text}\n`, contentType: plain }
    case 'srt':
      return { text: srtOf(record), contentType: plain }
    case 'vtt':
      return { text: vttOf(record), contentType: 'text/vtt; charset=utf-8' }
    case 'json':
    case 'verbose_json':
    case 'diarized_json':
      return { body: { ...record, usage: audioUsage(paid) } }
    default:
      return format satisfies never
  }
}

/** A transcript that arrives in one piece is streamed as a single delta. */
export async function* transcriptEvents(
  events: AsyncIterable<TranscriptEvent>,
  { toFailure }: CompatCaller,
): AsyncGenerator<string, void, undefined> {
  let hasPieces = false
  let transcript: Transcript | undefined
  try {
    for await (const event of events) {
      if (event.type === 'piece') {
        hasPieces = true
        yield dataLine(event.record)
      }
      if (event.type === 'transcript') {
        transcript = event.transcript
        const { text: delta } = transcript
        if (!hasPieces) yield dataLine({ type: 'transcript.text.delta', delta })
      }
      if (event.type === 'paid') yield dataLine(doneEvent(transcript, event))
    }
    yield 'data: [DONE]\n\n'
  } catch (error) {
    yield dataLine(errorAnswer(toFailure(error)))
  }
}

const doneEvent = (transcript: Transcript | undefined, paid: PaidEvent) => ({
  ...transcript?.record,
  type: 'transcript.text.done',
  usage: audioUsage(paid),
})

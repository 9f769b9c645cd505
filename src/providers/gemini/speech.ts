// Gemini's speech: bare samples (16 bits, mono, 24 kHz), sent as events.
import { isRecord } from '#core/record.ts'
import type { Opened } from '#providers/http-exchange.ts'
import { type Json, recordsOf, textOf } from '#providers/json-shape.ts'
import { ProviderError, type SpeakRequest, type Spoken } from '#providers/provider.ts'
import { protocolError } from '#providers/refusal.ts'
import { brokenOff, brokenStream, readJsonEvents } from '#providers/streamed-text.ts'
import type { Upstream } from '#providers/upstream.ts'
import { contentUsage } from './response.ts'
import { contentStream, refusedStream } from './stream.ts'

export function speechBody(
  { name }: Pick<Upstream, 'name'>,
  { input, voice, instructions, speed, format }: SpeakRequest,
): object {
  const refuse = (param: string, what: string) => {
    const message = `${name}: ${what}`
    throw new ProviderError('invalid', { outcome: 'not_sent', message, param })
  }
  if (speed !== undefined)
    refuse('speed', 'does not support speed; describe it in the instructions')
  if (format !== 'wav' && format !== 'pcm') refuse('response_format', 'supports only wav and pcm')
  if (typeof voice !== 'string') refuse('voice', 'requires the name of a voice')
  const style = instructions === undefined ? {} : { speechMetadata: { style: instructions } }
  return {
    contents: [{ role: 'user', parts: [{ text: input, ...style }] }],
    generationConfig: {
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { voice } },
    },
  }
}

export function readSpeech(upstream: Upstream, answer: Opened, request: SpeakRequest): Spoken {
  const { chunks } = answer
  if (!chunks) throw refusedStream(upstream, answer)
  return { pieces: samples(upstream, answer, { chunks, request }) }
}

async function* samples(
  upstream: Upstream,
  answer: Opened,
  { chunks, request }: { chunks: NonNullable<Opened['chunks']>; request: SpeakRequest },
): Spoken['pieces'] {
  // Does not read audio, but throws on errors and detects how the stream ends.
  const reader = contentStream(upstream)
  let isEmpty = true
  for await (const { name, json } of readJsonEvents(upstream, answer, chunks)) {
    reader.read(json, name)
    for (const bytes of soundIn(json)) {
      if (isEmpty && request.format === 'wav') yield { type: 'audio', bytes: wavHeader() }
      isEmpty = false
      yield { type: 'audio', bytes }
    }
    const usage = contentUsage(json.usageMetadata)
    if (usage) yield { type: 'used', units: usage }
  }
  const end = reader.end()
  if (end === undefined) throw brokenOff(upstream, answer)
  if (end.finish === 'content_filter') {
    const message = end.refusal ?? 'the speech was withheld'
    throw brokenStream(upstream, { kind: 'content', message })
  }
  if (isEmpty) throw protocolError(upstream, answer, 'no audio in the answer')
}

function soundIn({ candidates }: Json): Buffer[] {
  const content = recordsOf(candidates)[0]?.content
  return recordsOf(isRecord(content) ? content.parts : undefined).flatMap(({ inlineData }) => {
    const data = isRecord(inlineData) ? textOf(inlineData.data) : undefined
    return data === undefined ? [] : [Buffer.from(data, 'base64')]
  })
}

const sampleRate = 24_000
const bytesPerSample = 2
/** The length is not known yet; with this value players read to the end. */
const unknownLength = 0xffff_ffff

function wavHeader(): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(unknownLength, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  // Uncompressed PCM, one channel.
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * bytesPerSample, 28)
  header.writeUInt16LE(bytesPerSample, 32)
  header.writeUInt16LE(bytesPerSample * 8, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(unknownLength, 40)
  return header
}

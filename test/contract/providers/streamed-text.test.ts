import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TimeUp } from '#core/interruptions.ts'
import type { TextDelta } from '#providers/provider.ts'
import type { Behaviour } from '../../support/provider-doubles/behaviour.ts'
import { bench, failureOf, texts } from './subjects.ts'

async function all(deltas: AsyncIterator<TextDelta>): Promise<TextDelta[]> {
  const seen: TextDelta[] = []
  for (let next = await deltas.next(); !next.done; next = await deltas.next()) seen.push(next.value)
  return seen
}

const textIn = (deltas: TextDelta[]) =>
  deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('')

const usageIn = (deltas: TextDelta[]) =>
  deltas.flatMap((delta) => (delta.type === 'usage' ? [delta.usage] : [])).at(-1)

/** Reads until this many pieces of text have come. */
async function readText(deltas: AsyncIterator<TextDelta>, pieces: number): Promise<string> {
  let text = ''
  for (let left = pieces; left > 0; ) {
    const { value, done } = await deltas.next()
    if (done) throw new Error('the stream is over')
    if (value.type !== 'text') continue
    text += value.text
    left--
  }
  return text
}

for (const { subject, request, title } of texts) {
  describe(`a stream of text from ${title}`, () => {
    test('opens, comes in pieces, counts, names its model and ends', async (t) => {
      const { generateText, streamText, double } = await bench(t, subject)
      const deltas = await all(streamText(request))
      assert.equal(deltas[0]?.type, 'open')
      const { answeredBy } = await generateText(request)
      assert.ok(answeredBy)
      assert.deepEqual(deltas.at(-1), { type: 'end', finish: 'stop', answeredBy })
      assert.equal(textIn(deltas), 'You said: Hello')
      assert.ok(deltas.filter(({ type }) => type === 'text').length > 1)
      const counted = { inputTokens: 21, outputTokens: 8, cachedInputTokens: 5 }
      assert.deepEqual(usageIn(deltas), { ...counted, ...subject.usageParts })
      assert.equal(double.counts.accepted, 2)
    })

    test('and a whole answer are told alike where to stop and what to choose from', async (t) => {
      const { generateText, streamText, double } = await bench(t, subject)
      const told = { ...request, ...subject.sampling }
      await generateText(told)
      await all(streamText(told))
      assert.equal(double.requests.length, 2)
      for (const { body } of double.requests) {
        const { generationConfig: given = body } = body as Record<string, unknown>
        const { stop, stop_sequences, stopSequences, top_p, topP } = given as Record<
          string,
          unknown
        >
        assert.deepEqual(stop ?? stop_sequences ?? stopSequences, subject.sampling?.stop)
        assert.equal(top_p ?? topP, subject.sampling?.topP)
      }
    })

    test('hands a piece on before the next one exists', async (t) => {
      const { streamText, double } = await bench(t, subject)
      double.script('chat', { do: 'break', after: 4, by: 'hold' })
      const deltas = streamText(request)
      const early = await readText(deltas, 1)
      assert.ok('You said: Hello'.startsWith(early))
      double.release()
      assert.equal(early + textIn(await all(deltas)), 'You said: Hello')
    })

    test('whose characters are cut in two between packets arrives whole', async (t) => {
      const { streamText } = await bench(t, subject)
      const content = 'naïve 🚪 東京'
      const messages = [{ role: 'user' as const, content }]
      assert.equal(textIn(await all(streamText({ ...request, messages }))), `You said: ${content}`)
    })

    const refusals: [string, Behaviour, string, string][] = [
      ['a rate limit', { do: 'refuse', status: 429 }, 'busy', 'rejected'],
      ['a wrong request', { do: 'refuse', status: 400 }, 'invalid', 'rejected'],
      ['a server error', { do: 'refuse', status: 500 }, 'server', 'unknown'],
      [
        'a web page',
        { do: 'say', status: 200, body: Buffer.from('<html>') },
        'protocol',
        'unknown',
      ],
      ['a cut connection', { do: 'cut', when: 'after-accepting' }, 'server', 'unknown'],
    ]
    for (const [what, behaviour, kind, outcome] of refusals) {
      test(`that meets ${what} instead is told as a whole answer would be`, async (t) => {
        const { streamText, double } = await bench(t, subject)
        double.script('chat', behaviour)
        const error = await failureOf(all(streamText(request)))
        assert.deepEqual([error.kind, error.outcome], [kind, outcome])
        assert.equal(double.counts.chat, 1)
      })
    }

    for (const by of ['cut', 'end', 'junk', 'error', 'flood'] as const) {
      test(`that breaks by ${by} keeps what came, and its outcome is unknown`, async (t) => {
        const { streamText, double } = await bench(t, subject)
        double.script('chat', { do: 'break', after: 4, by })
        const deltas = streamText(request)
        const early = await readText(deltas, 1)
        assert.ok('You said: Hello'.startsWith(early))
        const error = await failureOf(all(deltas))
        assert.equal(error.outcome, 'unknown')
        assert.ok(['server', 'protocol'].includes(error.kind), error.kind)
        assert.equal(double.counts.chat, 1)
      })
    }

    test('that its reader leaves ends at the provider', async (t) => {
      const { streamText, double } = await bench(t, subject)
      double.script('chat', { do: 'break', after: 4, by: 'hold' })
      const deltas = streamText(request)
      await readText(deltas, 1)
      await deltas.return?.()
      assert.equal((await deltas.next()).done, true)
    })

    test('whose caller leaves is canceled, its time-out a time-out; both are unknown', async (t) => {
      for (const [reason, kind] of [
        [new Error('gone'), 'canceled'],
        [new TimeUp('late'), 'timeout'],
      ] as const) {
        const { streamText, double } = await bench(t, subject)
        double.script('chat', { do: 'break', after: 4, by: 'hold' })
        const leaving = new AbortController()
        const deltas = streamText(request, { signal: leaving.signal })
        await readText(deltas, 1)
        leaving.abort(reason)
        const error = await failureOf(all(deltas))
        assert.deepEqual([error.kind, error.outcome], [kind, 'unknown'])
      }
    })

    test('of a caller who left before is surely not asked for', async (t) => {
      const { streamText, double } = await bench(t, subject)
      const error = await failureOf(all(streamText(request, { signal: AbortSignal.abort() })))
      assert.deepEqual([error.kind, error.outcome], ['canceled', 'not_sent'])
      assert.equal(double.requests.length, 0)
    })

    test('from a provider that is not there was surely not asked for', async (t) => {
      const { streamText, double } = await bench(t, subject)
      await double.close()
      const error = await failureOf(all(streamText(request)))
      assert.deepEqual([error.kind, error.outcome], ['unreachable', 'not_sent'])
    })
  })
}

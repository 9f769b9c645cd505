import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createDemoProvider } from '#providers/demo/adapter.ts'
import type { DemoOptions } from '#providers/demo/options.ts'
import { ProviderError, type TextDelta, type TextRequest } from '#providers/provider.ts'

const request: TextRequest = {
  model: 'demo-text',
  messages: [{ role: 'user', content: 'What can you do?' }],
}

async function open(options: DemoOptions, signal = new AbortController().signal) {
  const provider = createDemoProvider(options)
  await provider.close?.()
  const stream = provider.streamText?.(request, { signal })
  assert.ok(stream && provider.generateText)
  return { stream, whole: await createWhole() }
}

async function createWhole(): Promise<string> {
  const provider = createDemoProvider()
  const result = await provider.generateText?.(request, { signal: new AbortController().signal })
  await provider.close?.()
  return result?.text ?? ''
}

const textOf = (deltas: TextDelta[]) =>
  deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('')

describe('a stream of the demo model', () => {
  test('is the whole answer in many pieces', async () => {
    const { stream, whole } = await open({})
    const deltas = await Array.fromAsync(stream)
    assert.equal(deltas[0]?.type, 'open')
    assert.equal(deltas.at(-1)?.type, 'end')
    assert.ok(deltas.length > 10)
    assert.equal(textOf(deltas), whole)
  })

  test('ends before a stop string, also where it lies across two pieces', async () => {
    const provider = createDemoProvider()
    const signal = new AbortController().signal
    const read = (stop: string[]) =>
      Array.fromAsync(provider.streamText?.({ ...request, stop }, { signal }) ?? [])
    const pieces = (await read([])).flatMap((delta) => (delta.type === 'text' ? [delta.text] : []))
    const whole = pieces.join('')
    for (const [place, piece] of pieces.entries()) {
      const next = pieces[place + 1]
      if (next === undefined) continue
      const stop = piece.slice(-3) + next.slice(0, 3)
      const deltas = await read([stop])
      assert.equal(textOf(deltas), whole.slice(0, whole.indexOf(stop)))
      const end = { type: 'end', finish: 'stop', answeredBy: 'demo-text' }
      assert.deepEqual(deltas.at(-1), { ...end, endCause: { stopSequence: stop } })
    }
    await provider.close?.()
  })

  test('breaks off half way where the operator wants losses', async () => {
    const { stream, whole } = await open({ failEvery: 1, failAs: 'lost' })
    const deltas: TextDelta[] = []
    await assert.rejects(
      async () => {
        for await (const delta of stream) deltas.push(delta)
      },
      (error) => error instanceof ProviderError && error.outcome === 'unknown',
    )
    const text = textOf(deltas)
    assert.ok(text.length > 0 && text.length < whole.length && whole.startsWith(text))
  })

  test('is refused before its beginning where the operator wants it busy', async () => {
    const { stream } = await open({ failEvery: 1, failAs: 'busy' })
    await assert.rejects(
      Array.fromAsync(stream),
      (error) => error instanceof ProviderError && error.outcome === 'rejected',
    )
  })

  test('stops when its caller leaves', async () => {
    const leaving = new AbortController()
    const { stream } = await open({}, leaving.signal)
    await assert.rejects(
      async () => {
        for await (const delta of stream) if (delta.type === 'text') leaving.abort()
      },
      (error) => error instanceof ProviderError && error.kind === 'canceled',
    )
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDemoProvider } from '#providers/demo/adapter.ts'
import { chat, film, image, isProviderError, make, never, withProvider } from './studio.ts'

test('chat is answered while a film is made', () =>
  withProvider(async ({ submit, generateText }) => {
    let done = false
    const mp4 = make(submit, film('A long film', { seconds: 2 })).then(() => {
      done = true
    })
    for (let i = 0; i < 20; i++) {
      const { text } = await generateText(chat(`What is ${i} + 1?`), { signal: never })
      assert.equal(text, `${i} + 1 = ${i + 1}`)
    }
    assert.equal(done, false)
    await mp4
  }))

test('a picture does not wait for a film', () =>
  withProvider(async ({ submit }) => {
    const order: string[] = []
    await Promise.all([
      make(submit, film('First asked', { seconds: 2 })).then(() => order.push('film')),
      make(submit, image('Second asked')).then(() => order.push('picture')),
    ])
    assert.deepEqual(order, ['picture', 'film'])
  }))

test('a cancelled call ends at once as cancelled, and the thread makes the next film', () =>
  withProvider(async ({ submit }) => {
    const stop = new AbortController()
    const running = make(submit, film('Stopped', { seconds: 10 }), stop.signal)
    const waiting = make(submit, film('Stopped before it began'), stop.signal)
    stop.abort()
    await assert.rejects(running, isProviderError('canceled', 'rejected'))
    await assert.rejects(waiting, isProviderError('canceled', 'rejected'))
    await assert.rejects(
      make(submit, image('Never begun'), stop.signal),
      isProviderError('canceled', 'rejected'),
    )
    assert.ok((await make(submit, film('Made'))).length > 0)
  }))

test('a call that runs out of time is a timeout', () =>
  withProvider(
    ({ generateText }) =>
      assert.rejects(
        generateText(chat('Hello'), { signal: AbortSignal.timeout(1) }),
        isProviderError('timeout', 'rejected'),
      ),
    { delayMs: 600_000 },
  ))

test('the operator can make every nth call fail, in three ways', async () => {
  const outcomes = (failAs?: 'busy' | 'content' | 'lost') =>
    withProvider(
      async ({ generateText, find }) => {
        const calls: string[] = []
        for (let i = 0; i < 4; i++) {
          const call = generateText(chat('Hello'), { signal: never })
          calls.push(
            await call.then(
              () => 'ok',
              (error) => `${error.kind} ${error.outcome}`,
            ),
          )
        }
        const lost = { request: image('x'), submittedAtMs: 0, taskId: 'task' }
        return [...calls, await find(lost, { signal: never })]
      },
      failAs ? { failEvery: 2, failAs } : { failEvery: 2 },
    )
  assert.deepEqual(await outcomes(), ['ok', 'busy rejected', 'ok', 'busy rejected', null])
  assert.deepEqual((await outcomes('content'))[1], 'content rejected')
  assert.deepEqual(await outcomes('lost'), [
    'ok',
    'server unknown',
    'ok',
    'server unknown',
    'unknown',
  ])
})

test('models that are not here, or make something else, are refused', () =>
  withProvider(async ({ generateText, submit }) => {
    await assert.rejects(
      generateText({ ...chat('Hello'), model: 'gpt' }, { signal: never }),
      isProviderError('not_found', 'rejected'),
    )
    await assert.rejects(
      generateText({ ...chat('Hello'), model: 'demo-image' }, { signal: never }),
      isProviderError('invalid', 'rejected'),
    )
    await assert.rejects(
      make(submit, image('x', { model: 'demo-video' })),
      isProviderError('invalid', 'rejected'),
    )
    await assert.rejects(
      make(submit, film('x', { seconds: 60 })),
      isProviderError('invalid', 'rejected'),
    )
  }))

test('closing ends what is at work, and what comes later', async () => {
  const { submit, close } = createDemoProvider()
  assert.ok(submit && close)
  const running = make(submit, film('Cut short', { seconds: 10 }))
  const ended = assert.rejects(running, isProviderError('canceled', 'rejected'))
  await close()
  await ended
  await assert.rejects(make(submit, film('Too late')), isProviderError('canceled', 'rejected'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { P } from '../../support/server.ts'
import { dataOf, onBothDatabases } from './setting.ts'

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

onBothDatabases('a task as the console shows it', (on) => {
  test('from its submission, whose answer is lost, to its picture, its calls and its cost', async () => {
    const content = [
      { type: 'text', text: 'A quiet\nharbour at dawn' },
      { type: 'image_url', image_url: { url: pixel } },
    ]
    const json = {
      model: 'demo-image',
      messages: [{ role: 'user', content }],
      imageAspectRatio: '16:9',
    }
    const sentAt = new Date().toISOString()
    await on.api({ method: 'POST', path: `${P}/images/generations`, json })
    const query = new URLSearchParams({ q: 'harbour at dawn', from: sentAt, kind: 'IMAGE' })
    const { items } = await dataOf(on.owner, `/tasks?${query}`)
    assert.equal(items.length, 1)
    const { taskId } = items[0]
    let task = await dataOf(on.owner, `/tasks/${taskId}`)
    while (task.completedAt === null) {
      await pause(20)
      task = await dataOf(on.owner, `/tasks/${taskId}`)
    }
    assert.equal(task.status, 'COMPLETED')
    assert.equal(task.prompt, 'A quiet\nharbour at dawn')
    assert.deepEqual(task.parameters, { imageAspectRatio: '16:9' })
    assert.equal(task.keyName, 'builder')
    assert.equal(task.imageContent.length, 1)
    assert.equal(task.inputImage.mimeType, 'image/png')
    const picture = await fetch(task.inputImage.url)
    assert.deepEqual(
      Buffer.from(await picture.arrayBuffer()),
      Buffer.from(pixel.split(',')[1] ?? '', 'base64'),
    )
    assert.deepEqual(
      task.attempts.map(({ outcome, model, taskId: of }: Record<string, string>) => [
        outcome,
        model,
        of,
      ]),
      [['SUCCEEDED', 'demo-image', taskId]],
    )
    const calls = await dataOf(on.owner, `/calls?taskId=${taskId}`)
    assert.deepEqual(calls.items, task.attempts)
    const usage = await dataOf(on.owner, '/usage?split=key&tz=Europe/Berlin')
    assert.deepEqual(
      usage.series.map(({ label, calls, images, cost }: Record<string, unknown>) => [
        label,
        calls,
        images,
        cost,
      ]),
      [['builder', 1, 1, task.attempts[0].cost ?? { amount: 0, currency: 'USD' }]],
    )
  })

  test('a stranger finds nothing of it', async () => {
    assert.deepEqual(await dataOf(on.stranger, '/tasks'), { items: [], next: null })
    const usage = await dataOf(on.stranger, '/usage')
    assert.equal(usage.total.calls, 0)
  })

  test('a chat is in the calls and the usage as soon as it is answered', async () => {
    const json = { model: 'demo-text', messages: [{ role: 'user', content: 'hello' }] }
    const sentAt = new Date().toISOString()
    const { body } = await on.api({ method: 'POST', path: `${P}/chat/completions`, json })
    const { items } = await dataOf(on.owner, `/calls?from=${sentAt}&model=demo-text`)
    assert.equal(items.length, 1)
    const { inputTokens, outputTokens } = body.data.usage
    assert.deepEqual(items[0].units, { inputTokens, outputTokens })
    const usage = await dataOf(on.owner, '/usage')
    const series = usage.series.find(({ key }: { key: string }) => key === 'demo-text')
    assert.deepEqual([series.inputTokens, series.outputTokens], [inputTokens, outputTokens])
  })
})

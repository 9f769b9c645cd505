import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { consolePath } from '../../support/console.ts'
import { P } from '../../support/server.ts'
import { dataOf, onBothDatabases } from './setting.ts'

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

onBothDatabases(
  'a task as the console shows it',
  (on) => {
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

    test('what images and videos will cost is said before they are made', async () => {
      const estimate = async (body: object, who = on.owner) => {
        const path = `${consolePath}/tasks/estimate`
        const { status, body: answered } = await who.call({ method: 'POST', path, json: body })
        return status === 200 ? answered.data : answered.error.code
      }
      const free = await estimate({ model: 'demo-image', prompt: 'x', count: 8, hasImage: true })
      assert.deepEqual([free.estimatedCost, free.currency, free.exact], [0, 'USD', true])
      const video = { model: 'fal/veo-3.1-fast', videoSeconds: 8, count: 3 }
      const unpriced = await estimate(video)
      assert.deepEqual([unpriced.estimatedCost, unpriced.exact], [null, false])
      assert.match(unpriced.assumptions[0], /price of model "fal\/veo-3.1-fast" is not known/)
      // A price that an account chose itself counts for this account only.
      const path = `${consolePath}/stand-in-prices`
      const json = { model: video.model, pricing: { perSecond: 0.5 } }
      assert.equal((await on.owner.call({ method: 'PUT', path, json })).status, 200)
      const priced = await estimate(video)
      assert.deepEqual([priced.lowCost, priced.estimatedCost, priced.highCost], [12, 12, 12])
      assert.equal((await estimate(video, on.stranger)).estimatedCost, null)
      assert.equal(await estimate({ model: 'demo-text' }), 'MODEL_KIND_MISMATCH')
      assert.equal(await estimate({ model: 'nobody' }), 'MODEL_NOT_FOUND')
      assert.equal(await estimate({ model: 'demo-image', count: 9 }), 'INVALID_REQUEST')
    })
  },
  { FAL_KEY: 'none' },
)

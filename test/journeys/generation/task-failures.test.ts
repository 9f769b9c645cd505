import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Behaviour } from '../../support/provider-doubles/behaviour.ts'
import { mp4, png } from '../../support/provider-doubles/media.ts'
import { type Body, P } from '../../support/server.ts'
import { startHost } from './host.ts'
import {
  attempts,
  type Bench,
  ended,
  eventually,
  openBench,
  says,
  submitted,
  videoModels,
} from './setting.ts'

const falImage = { model: 'fal/flux-schnell' }
const replicateImage = { model: 'replicate/flux-schnell' }

const outcomes = async (bench: Bench) =>
  (await attempts(bench)).map(({ outcome, cost_micros }) => [outcome, cost_micros])

async function failed(bench: Bench, taskId: string, code: string) {
  const task = await ended(bench, taskId)
  assert.deepEqual([task.status, task.error?.code], ['FAILED', code], JSON.stringify(task))
  assert.equal('imageContent' in task || 'videoContent' in task, false)
  return task
}

// A clock that leaps looks like a machine that slept, after which a lease is not certain.
const longLease = { LEASE_SECONDS: '3600' }

/** Lets the pauses between attempts pass at once, and no other time: work has its limits. */
const endedSoon = (bench: Bench, taskId: string): Promise<Body> =>
  eventually(
    async () => {
      const { body } = await bench.call(`${P}/tasks/${taskId}`)
      const leftMs = Date.parse(body.data.waitReason?.until) - bench.clock.nowMs()
      if (leftMs >= 0) bench.clock.advance(leftMs + 1)
      return body.data
    },
    (task) => task.completedAt !== null,
  )

describe('a job the provider does not finish', () => {
  for (const double of ['fal', 'replicate'] as const) {
    const model = `${double}/flux-schnell`
    test(`fails with the words of ${double}, and costs nothing`, async (t) => {
      const bench = await openBench(t, { doubles: [double] })
      bench.doubles[double].plan('failed')
      const task = await failed(bench, await submitted(bench, 'image', { model }), 'PROVIDER_ERROR')
      assert.match(task.error.message, /Internal server error|CUDA out of memory/)
      assert.equal(task.cost.amount, 0)
      assert.deepEqual(await outcomes(bench), [['FAILED', 0]])
      assert.equal(bench.doubles[double].counts.submit, 1)
    })

    test(`is a refusal of the content when ${double} says so, not to be repeated`, async (t) => {
      const bench = await openBench(t, { doubles: [double] })
      bench.doubles[double].plan('content')
      const task = await failed(
        bench,
        await submitted(bench, 'image', { model }),
        'CONTENT_REJECTED',
      )
      assert.equal(task.error.retryable, false)
      assert.equal(bench.doubles[double].counts.submit, 1)
    })
  }

  test('because somebody canceled it there, fails here', async (t) => {
    const bench = await openBench(t, { doubles: ['replicate'] })
    bench.doubles.replicate.plan('canceled')
    await failed(bench, await submitted(bench, 'image', replicateImage), 'PROVIDER_ERROR')
  })

  test('fails when a synchronous provider refuses the content', async (t) => {
    const bench = await openBench(t, { doubles: ['openai'] })
    const error = {
      message: 'blocked',
      type: 'image_generation_user_error',
      code: 'moderation_blocked',
    }
    bench.doubles.openai.script('submit', { do: 'say', status: 400, body: { error } })
    const taskId = await submitted(bench, 'image', { model: 'openai/gpt-image-2' })
    await failed(bench, taskId, 'CONTENT_REJECTED')
    assert.deepEqual(await outcomes(bench), [['REJECTED', 0]])
  })

  test('and withholds after the work is paid for what it used', async (t) => {
    const bench = await openBench(t, { doubles: ['gemini'] })
    const body = {
      candidates: [{ content: {}, finishReason: 'IMAGE_SAFETY' }],
      usageMetadata: { promptTokenCount: 100, thoughtsTokenCount: 50 },
    }
    bench.doubles.gemini.script('submit', { do: 'say', status: 200, body })
    const taskId = await submitted(bench, 'image', { model: 'gemini/gemini-3-pro-image' })
    const task = await failed(bench, taskId, 'CONTENT_REJECTED')
    const paid = 100 * 2 + 50 * 12
    assert.equal(task.cost.amount, paid / 1e6)
    assert.deepEqual(await outcomes(bench), [['FAILED', paid]])
    assert.equal(bench.doubles.gemini.counts.submit, 1)
  })

  test('fails at once when the provider calls the request wrong', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'] })
    bench.doubles.fal.script('submit', { do: 'refuse', status: 422, message: 'prompt too long' })
    const task = await failed(bench, await submitted(bench, 'image', falImage), 'INVALID_REQUEST')
    assert.match(task.error.message, /prompt too long/)
    assert.equal(bench.doubles.fal.counts.submit, 1)
  })
})

describe('a submission', () => {
  test('refused as too many is made again after a pause, and then counts once', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'], env: longLease })
    bench.doubles.fal.plan('succeeded')
    bench.doubles.fal.script('submit', ...Array<Behaviour>(2).fill({ do: 'refuse', status: 429 }))
    const task = await endedSoon(bench, await submitted(bench, 'image', falImage))
    assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
    assert.deepEqual(await outcomes(bench), [
      ['REJECTED', 0],
      ['REJECTED', 0],
      ['SUCCEEDED', 3_000],
    ])
    assert.equal(task.cost.amount, 0.003)
  })

  test('is given up after three refusals', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'], env: longLease })
    bench.doubles.fal.always('submit', { do: 'refuse', status: 429 })
    const task = await endedSoon(bench, await submitted(bench, 'image', falImage))
    assert.deepEqual([task.status, task.error.code], ['FAILED', 'PROVIDER_UNAVAILABLE'])
    assert.equal(task.error.retryable, true)
    assert.equal(bench.doubles.fal.counts.submit, 3)
  })

  test('is not waited for beyond the time limit, whatever the provider asks', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'], env: { TASK_IMAGE_TIMEOUT_SECONDS: '1' } })
    const headers = { 'retry-after': '86400' }
    bench.doubles.fal.always('submit', { do: 'refuse', status: 429, headers })
    await failed(bench, await submitted(bench, 'image', falImage), 'PROVIDER_TIMEOUT')
    assert.equal(bench.doubles.fal.counts.submit, 1)
  })

  const ambiguous: [string, Behaviour][] = [
    ['answered with a 500', { do: 'refuse', status: 500 }],
    ['answered with a 503', { do: 'refuse', status: 503 }],
    ['answered with junk', { do: 'babble', as: 'wrong-shape' }],
    ['cut off before it was taken', { do: 'cut', when: 'before-accepting' }],
    ['cut off after it was taken', { do: 'cut', when: 'after-accepting' }],
    ['answered by half', { do: 'cut', when: 'mid-answer' }],
  ]
  for (const [what, behaviour] of ambiguous) {
    test(`${what} is never repeated, because its outcome is unknown`, async (t) => {
      const bench = await openBench(t, { doubles: ['fal'] })
      bench.doubles.fal.script('submit', behaviour)
      const taskId = await submitted(bench, 'image', falImage)
      const task = await failed(bench, taskId, 'PROVIDER_OUTCOME_UNKNOWN')
      assert.equal(task.error.retryable, false)
      assert.equal(task.cost.amount, 0.003)
      assert.deepEqual(await outcomes(bench), [['UNKNOWN', 3_000]])
      // A later task is served, so nothing blocks the first one.
      bench.doubles.fal.plan('succeeded')
      assert.equal(
        (await ended(bench, await submitted(bench, 'image', falImage))).status,
        'COMPLETED',
      )
      assert.equal(bench.doubles.fal.counts.submit, 2)
    })
  }

  test('whose answer was lost is found again if the provider can be asked', async (t) => {
    const bench = await openBench(t, { doubles: ['replicate'] })
    const { replicate } = bench.doubles
    replicate.plan('succeeded')
    replicate.script('submit', { do: 'cut', when: 'after-accepting' })
    // A poll may fail too and is repeated, because it costs nothing.
    replicate.script('list', { do: 'refuse', status: 503 }, { do: 'cut', when: 'before-accepting' })
    const task = await ended(bench, await submitted(bench, 'image', replicateImage))
    assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
    assert.deepEqual([replicate.counts.submit, replicate.counts.list], [1, 3])
    assert.deepEqual(await outcomes(bench), [['SUCCEEDED', 3_000]])
  })

  test('that certainly never arrived is repeated by a provider that is free', async (t) => {
    const bench = await openBench(t, {
      env: { ...longLease, EMBEDDED_OPTIONS: 'failEvery=2,failAs=busy' },
    })
    const first = await submitted(bench, 'image', { model: 'demo-image', imageSampleSize: '512' })
    assert.equal((await ended(bench, first)).status, 'COMPLETED')
    const second = await submitted(bench, 'image', { model: 'demo-image', imageSampleSize: '512' })
    assert.equal((await endedSoon(bench, second)).status, 'COMPLETED')
  })

  test('goes to the fallback when the provider certainly did not accept it', async (t) => {
    const models = { models: [{ id: 'fal/flux-schnell', fallbacks: ['replicate/flux-schnell'] }] }
    const bench = await openBench(t, { doubles: ['fal', 'replicate'], models })
    bench.doubles.fal.script('submit', { do: 'refuse', status: 429 })
    bench.doubles.replicate.plan('succeeded')
    const task = await ended(bench, await submitted(bench, 'image', falImage))
    assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
    assert.deepEqual(
      (await attempts(bench)).map((attempt) => [attempt.provider, attempt.outcome]),
      [
        ['fal', 'REJECTED'],
        ['replicate', 'SUCCEEDED'],
      ],
    )
  })
})

describe('polling', () => {
  test('continues through every error; none ends the job', async (t) => {
    const bench = await openBench(t, { doubles: ['replicate'] })
    const { replicate } = bench.doubles
    replicate.plan('succeeded')
    replicate.script(
      'poll',
      { do: 'refuse', status: 429, headers: { 'retry-after-ms': '1' } },
      { do: 'refuse', status: 500, headers: { 'retry-after-ms': '1' } },
      { do: 'refuse', status: 404, headers: { 'retry-after-ms': '1' } },
      { do: 'refuse', status: 401, headers: { 'retry-after-ms': '1' } },
      { do: 'babble', as: 'html' },
      { do: 'cut', when: 'before-accepting' },
    )
    // A quicker model would answer the submission itself.
    const slow = { model: 'replicate/flux-2-pro' }
    const task = await ended(bench, await submitted(bench, 'image', slow))
    assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
    assert.deepEqual([replicate.counts.submit, replicate.counts.poll], [1, 7])
  })

  test('ends when the provider no longer knows the job; it may have been billed', async (t) => {
    const bench = await openBench(t, { doubles: ['replicate'] })
    const headers = { 'retry-after-ms': '1' }
    bench.doubles.replicate.always('poll', { do: 'refuse', status: 404, headers })
    await failed(bench, await submitted(bench, 'image', replicateImage), 'PROVIDER_ERROR')
    assert.deepEqual(await outcomes(bench), [['UNKNOWN', 3_000]])
  })
})

describe('a result', () => {
  test('whose download fails is fetched again, without a new job', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'] })
    const { fal } = bench.doubles
    fal.plan('succeeded')
    fal.script('file', { do: 'refuse', status: 503 }, { do: 'cut', when: 'mid-answer' })
    const task = await ended(bench, await submitted(bench, 'image', falImage))
    assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
    assert.deepEqual([fal.counts.submit, fal.counts.file], [1, 3])
  })

  test('that is refused at first is read again, without a new job', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'] })
    const { fal } = bench.doubles
    fal.plan('succeeded')
    fal.script('result', { do: 'refuse', status: 429 }, { do: 'refuse', status: 401 })
    const task = await ended(bench, await submitted(bench, 'image', falImage))
    assert.equal(task.status, 'COMPLETED', JSON.stringify(task.error))
    assert.deepEqual(await outcomes(bench), [['SUCCEEDED', 3_000]])
  })

  const unusable: [string, Behaviour][] = [
    ['is gone', { do: 'refuse', status: 404 }],
    ['is not of the kind asked for', { do: 'say', status: 200, body: Buffer.from('<html>') }],
  ]
  for (const [what, behaviour] of unusable) {
    test(`that ${what} fails the task, which is billed`, async (t) => {
      const bench = await openBench(t, { doubles: ['fal'] })
      bench.doubles.fal.plan('succeeded')
      bench.doubles.fal.always('file', behaviour)
      const task = await failed(bench, await submitted(bench, 'image', falImage), 'PROVIDER_ERROR')
      assert.equal(task.error.retryable, false)
      assert.equal(task.cost.amount, 0.003)
      assert.deepEqual(await outcomes(bench), [['SUCCEEDED', 3_000]])
    })
  }

  test('that is too large fails the task', async (t) => {
    const bench = await openBench(t, { doubles: ['fal'], env: { MEDIA_MAX_BYTES: '50' } })
    bench.doubles.fal.plan('succeeded')
    await failed(bench, await submitted(bench, 'image', falImage), 'PROVIDER_ERROR')
  })

  test('is followed where it was moved to, and no key goes along', async (t) => {
    const cdn = await startHost(t, (_, response) => response.end(mp4))
    const env = { OUTBOUND_ALLOW: '127.0.0.1/32' }
    const bench = await openBench(t, { doubles: ['gemini'], models: videoModels, env })
    const { gemini } = bench.doubles
    gemini.plan('succeeded')
    const moved = { location: `${cdn.url}/elsewhere.mp4` }
    gemini.script('file', { do: 'say', status: 302, body: '', headers: moved })
    const taskId = await submitted(bench, 'video', { model: 'test/veo' })
    assert.equal((await ended(bench, taskId)).status, 'COMPLETED')
    assert.equal(cdn.requests.length, 1)
    assert.equal(
      gemini.requests.find(({ route }) => route === 'file')?.headers['x-goog-api-key'],
      gemini.key,
    )
    assert.doesNotMatch(JSON.stringify(cdn.requests[0]?.rawHeaders), new RegExp(gemini.key))
    assert.doesNotMatch(String(cdn.requests[0]?.url), new RegExp(gemini.key))
  })

  test('moved to another provider does not take the key along', async (t) => {
    const bench = await openBench(t, { doubles: ['gemini', 'fal'], models: videoModels })
    const { gemini, fal } = bench.doubles
    gemini.plan('succeeded')
    const moved = { location: `${fal.url}/files/job1.mp4` }
    gemini.script('file', { do: 'say', status: 302, body: '', headers: moved })
    await failed(bench, await submitted(bench, 'video', { model: 'test/veo' }), 'PROVIDER_ERROR')
    assert.equal(fal.counts.file, 1)
    assert.doesNotMatch(JSON.stringify(fal.requests), new RegExp(gemini.key))
  })

  test('at an address of this network is not fetched', async (t) => {
    const inside = await startHost(t, (_, response) => response.end(png))
    const bench = await openBench(t, { doubles: ['replicate'] })
    const { replicate } = bench.doubles
    const output = [`${inside.url}/secret.png`]
    replicate.script('poll', {
      do: 'say',
      status: 200,
      body: { id: 'job1', status: 'succeeded', output },
    })
    await failed(bench, await submitted(bench, 'image', replicateImage), 'PROVIDER_ERROR')
    assert.equal(inside.requests.length, 0)
  })
})

describe('the time limit', () => {
  const env = { TASK_IMAGE_TIMEOUT_SECONDS: '1', TASK_VIDEO_TIMEOUT_SECONDS: '1' }

  for (const double of ['fal', 'replicate'] as const) {
    test(`ends a job that goes on, and asks ${double} to cancel it`, async (t) => {
      const bench = await openBench(t, { doubles: [double], env })
      bench.doubles[double].plan('running')
      const taskId = await submitted(bench, 'image', { model: `${double}/flux-schnell` })
      const task = await failed(bench, taskId, 'PROVIDER_TIMEOUT')
      assert.equal(bench.doubles[double].counts.cancel, 1)
      assert.equal(task.cost.amount, 0.003)
      assert.deepEqual(await outcomes(bench), [['UNKNOWN', 3_000]])
    })
  }

  test('ends a job that cannot be canceled', async (t) => {
    const bench = await openBench(t, { doubles: ['gemini'], models: videoModels, env })
    bench.doubles.gemini.plan('running')
    await failed(bench, await submitted(bench, 'video', { model: 'test/veo' }), 'PROVIDER_TIMEOUT')
  })

  test('during a submission leaves its outcome unknown', async (t) => {
    const bench = await openBench(t, { doubles: ['openai'], env })
    bench.doubles.openai.script('submit', { do: 'hold' })
    const taskId = await submitted(bench, 'image', { model: 'openai/gpt-image-2' })
    await failed(bench, taskId, 'PROVIDER_OUTCOME_UNKNOWN')
    assert.equal(bench.doubles.openai.counts.submit, 1)
  })

  test('during a submission that can be found again cancels the job', async (t) => {
    const bench = await openBench(t, { doubles: ['replicate'], env })
    bench.doubles.replicate.plan('running')
    bench.doubles.replicate.script('submit', { do: 'hold' })
    await failed(bench, await submitted(bench, 'image', replicateImage), 'PROVIDER_TIMEOUT')
    assert.deepEqual(
      [bench.doubles.replicate.counts.submit, bench.doubles.replicate.counts.cancel],
      [1, 1],
    )
  })

  test('ends the demo provider, which has no job to find', async (t) => {
    const bench = await openBench(t, { env: { ...env, EMBEDDED_OPTIONS: 'delayMs=600000' } })
    const task = await failed(
      bench,
      await submitted(bench, 'image', { model: 'demo-image' }),
      'PROVIDER_TIMEOUT',
    )
    assert.equal(task.cost.amount, 0)
  })

  test('of the queue fails what never started, and nothing was sent', async (t) => {
    const bench = await openBench(t, {
      doubles: ['fal'],
      env: { MAX_TASKS_IN_FLIGHT: '1', TASK_QUEUE_TIMEOUT_SECONDS: '60' },
    })
    bench.doubles.fal.script('submit', { do: 'hold' })
    await submitted(bench, 'image', falImage)
    await bench.doubles.fal.arrived('submit', 1)
    const waiting = await submitted(bench, 'image', falImage)
    bench.clock.advance(61_000)
    const task = await failed(bench, waiting, 'SERVICE_UNAVAILABLE')
    assert.equal(task.error.retryable, true)
    assert.equal(bench.doubles.fal.counts.submit, 1)
  })
})

describe('a stop', () => {
  test('sends no submission that had not been sent yet', async (t) => {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    const host = await startHost(t, async (_, response) => {
      asked.resolve()
      await answer.promise
      response.end(png)
    })
    const env = { OUTBOUND_ALLOW: '127.0.0.1/32', SHUTDOWN_SECONDS: '5' }
    const bench = await openBench(t, { doubles: ['fal'], env, database: 'postgres' })
    const image_url = { url: `${host.url}/in.png` }
    const messages = [
      says([
        { type: 'text', text: 'A door' },
        { type: 'image_url', image_url },
      ]),
    ]
    await submitted(bench, 'image', { model: 'fal/nano-banana-2', messages })
    await asked.promise
    const stopped = bench.stop()
    await eventually(
      () =>
        bench.call('/readyz').then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status !== 200,
    )
    answer.resolve()
    await stopped
    const [row] = await bench.db.query('select stage, owner, attempts, completed_at from tasks')
    assert.deepEqual(row, { stage: 'READY', owner: null, attempts: 0, completed_at: null })
    assert.equal(bench.doubles.fal.counts.submit, 0)
    assert.deepEqual(await attempts(bench), [])
  })
})

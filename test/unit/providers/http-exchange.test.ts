import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dispatcher } from 'undici'
import { exchange } from '#providers/http-exchange.ts'

const upstream = { name: 'p', redact: (text: string) => text }

/** A connection whose other side is this test. */
function openConnection() {
  let handler: Dispatcher.DispatchHandler | undefined
  const controller = {
    paused: false,
    aborted: false,
    reason: null,
    pause: () => {
      controller.paused = true
    },
    resume: () => {
      controller.paused = false
    },
    abort: () => {
      controller.aborted = true
    },
  }
  const dispatcher = {
    dispatch: (_options: unknown, given: Dispatcher.DispatchHandler) => {
      handler = given
      given.onRequestStart?.(controller, {})
      given.onResponseStart?.(controller, 200, { 'content-type': 'text/event-stream' })
      return true
    },
  } as unknown as Dispatcher
  const opened = exchange(dispatcher, { path: '/', method: 'POST' }, upstream, {
    signal: new AbortController().signal,
    maxBytes: 1_000_000,
    delivery: 'stream',
  })
  const send = (bytes: number) => handler?.onResponseData?.(controller, Buffer.alloc(bytes))
  return { opened, controller, send }
}

test('a reader who takes nothing stops the provider, and one who reads lets it go on', async () => {
  const { opened, controller, send } = openConnection()
  const { chunks } = await opened
  send(40_000)
  assert.equal(controller.paused, false)
  send(40_000)
  assert.equal(controller.paused, true)
  await chunks?.next()
  assert.equal(controller.paused, true)
  await chunks?.next()
  assert.equal(controller.paused, false)
})

test('a reader who leaves ends the call', async () => {
  const { opened, controller, send } = openConnection()
  const { chunks } = await opened
  send(10)
  await chunks?.next()
  await chunks?.return()
  assert.equal(controller.aborted, true)
})

test('a stream without end is cut off', async () => {
  const { opened, controller, send } = openConnection()
  const { chunks } = await opened
  for (let i = 0; i < 11; i++) {
    send(100_000)
    if (i < 10) await chunks?.next()
  }
  await assert.rejects(async () => chunks?.next(), /more than 1000000 bytes/)
  assert.equal(controller.aborted, true)
})

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { readForm } from '#http/form-body.ts'

const part = (name: string, headers = '') =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"${headers}\r\n\r\nvalue\r\n`

const read = (parts: readonly string[]) => {
  const headers = { 'content-type': 'multipart/form-data; boundary=edge' }
  const body = Readable.from([Buffer.from(`${parts.join('')}--edge--\r\n`)])
  return readForm({ headers, body } as unknown as FastifyRequest, 10_000_000)
}

const refusal = (message: RegExp) => ({ code: 'INVALID_REQUEST', message })

test('a form may have 64 parts', async () => {
  const parts = Array.from({ length: 64 }, (_, index) => part(`field-${index}`))
  assert.equal(Object.keys((await read(parts)).values).length, 64)
  await assert.rejects(read([...parts, part('one-more')]), refusal(/more than 64 parts/))
})

test('headers of a part that are too long are refused before they are parsed', async () => {
  assert.equal((await read([part('a', `\r\nX-Note: ${'x'.repeat(8_000)}`)])).values.a, 'value')
  const tooLong = refusal(/headers of a part take more than 8192 bytes/)
  await assert.rejects(read([part('a', `\r\nX-Note: ${'x'.repeat(9_000)}`)]), tooLong)
  await assert.rejects(read([part('a'), part('b', '\r\nA: b'.repeat(2_000))]), tooLong)
})

import assert from 'node:assert/strict'
import { mkdtempDisposable } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { P } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { eventually } from '../generation/setting.ts'

/** Asks on a connection of its own, which stays open for as long as the server wants. */
function ask(url: string, path: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  const answer = new Promise<string>((resolve) => {
    let seen = ''
    socket.on('data', (chunk) => {
      seen += chunk
      if (seen.includes('}')) resolve(seen)
    })
    socket.on('error', (error) => resolve(error.message))
    socket.on('close', () => resolve(`closed after "${seen}"`))
  })
  return { answer, end: () => socket.destroy() }
}

test('with 256 descriptors, connections beyond what can be served are refused, not reset', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'atelier-few-'))
  const server = await startServerProcess({ DATA_DIR: folder.path }, { descriptors: 256 })
  t.after(server.kill)
  assert.equal((await server.call(`${P}/skills`)).status, 200)
  const clients = Array.from({ length: 400 }, () => ask(server.url, `${P}/skills`))
  const answers = await Promise.all(clients.map(({ answer }) => answer))
  const refused = answers.filter((text) => text.startsWith('HTTP/1.1 503'))
  const served = answers.filter((text) => text.startsWith('HTTP/1.1 200'))
  const others = answers.filter((text) => !/^HTTP\/1\.1 (200|503)/.test(text))
  assert.equal(others.length, 0, others.join().slice(0, 500))
  assert.ok(served.length >= 30 && refused.length >= 100, `${served.length} ${refused.length}`)
  for (const text of refused) {
    const { error } = JSON.parse(text.slice(text.indexOf('{')))
    assert.deepEqual([error.code, error.retryable], ['SERVICE_UNAVAILABLE', true])
    assert.match(text, /\r\nretry-after: 1\r\n/i)
  }
  for (const { end } of clients) end()
  await eventually(
    () => server.call(`${P}/skills`),
    ({ status }) => status === 200,
  )
})

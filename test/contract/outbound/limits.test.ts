import assert from 'node:assert/strict'
import { buffer, text } from 'node:stream/consumers'
import { it } from 'node:test'
import * as zlib from 'node:zlib'
import { limits, openGateway, serve, serveTcp, serveText } from './loopback.ts'

const failed = (kind: string, sent: boolean) => ({ name: 'OutboundFailed', kind, sent })
const MiB = 1024 * 1024

const encodings = {
  gzip: zlib.gzipSync,
  'x-gzip': zlib.gzipSync,
  deflate: zlib.deflateSync,
  br: (plain: string | Buffer) =>
    zlib.brotliCompressSync(plain, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zlib.zstdCompressSync,
}

it('an answer of exactly the cap is whole, one byte more fails', async () => {
  await using server = await serve((request, response) => {
    response.flushHeaders() // chunked: the size is not announced
    response.end(Buffer.alloc(Number(request.url?.slice(1)), 'a'))
  })
  await using gateway = openGateway()
  const ask = async (bytes: number) =>
    buffer((await gateway.request(`${server.url}${bytes}`, limits({ maxBytes: 100_000 }))).body)
  assert.equal((await ask(100_000)).length, 100_000)
  await assert.rejects(ask(100_001), failed('too_large', true))
})

it('an announced length above the cap fails before the body is read', async () => {
  await using server = await serveText('HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n')
  await using gateway = openGateway()
  await assert.rejects(
    gateway.request(server.url, limits({ maxBytes: 1_000 })),
    failed('too_large', true),
  )
})

for (const [encoding, compress] of Object.entries(encodings)) {
  it(`an answer in ${encoding} arrives decoded`, async () => {
    await using server = await serve((_request, response) => {
      response.setHeader('content-encoding', encoding)
      response.end(compress('plain words'))
    })
    await using gateway = openGateway()
    const response = await gateway.request(server.url, limits())
    assert.equal(await text(response.body), 'plain words')
  })

  it(`a bomb in ${encoding} is stopped at the cap`, async () => {
    const bomb = compress(Buffer.alloc(16 * MiB))
    assert.ok(bomb.length < MiB)
    await using server = await serve((_request, response) => {
      response.setHeader('content-encoding', encoding)
      response.end(bomb)
    })
    await using gateway = openGateway()
    const { body } = await gateway.request(server.url, limits({ maxBytes: MiB }))
    let seen = 0
    const reading = async () => {
      for await (const chunk of body) seen += chunk.length
    }
    await assert.rejects(reading(), failed('too_large', true))
    assert.ok(seen <= MiB, `${seen} bytes were handed out`)
  })
}

it('a compressed answer is measured decoded: more than the cap on the wire may still fit', async () => {
  const noise = Buffer.from(Array.from({ length: 1_000 }, (_, i) => (i * i * 7919) % 251))
  const wire = zlib.gzipSync(noise, { level: 0 })
  assert.ok(wire.length > noise.length)
  await using server = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': wire.length }).end(wire)
  })
  await using gateway = openGateway()
  const { body } = await gateway.request(server.url, limits({ maxBytes: 1_000 }))
  assert.deepEqual(await buffer(body), noise)
})

it('a zstd frame that asks for a huge window is refused', async () => {
  const params = { [zlib.constants.ZSTD_c_windowLog]: 27 }
  const compressor = zlib.createZstdCompress({ params })
  // Flushed before its end is known, so that the frame keeps the window it was asked for.
  compressor.write('words')
  compressor.flush(() => compressor.end())
  const frame = await buffer(compressor)
  await using server = await serve((_request, response) => {
    response.setHeader('content-encoding', 'zstd')
    response.end(frame)
  })
  await using gateway = openGateway()
  const { body } = await gateway.request(server.url, limits())
  await assert.rejects(buffer(body), failed('protocol', true))
})

it('an encoding that is unknown, stacked or a lie is a protocol failure', async () => {
  for (const encoding of ['rot13', 'gzip, gzip', 'gzip']) {
    await using server = await serve((_request, response) => {
      response.setHeader('content-encoding', encoding)
      response.end('not compressed at all')
    })
    await using gateway = openGateway()
    const read = async () => buffer((await gateway.request(server.url, limits())).body)
    await assert.rejects(read(), failed('protocol', true), encoding)
  }
})

it('an encoding announced twice is a protocol failure', async () => {
  await using server = await serveText(
    'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx',
  )
  await using gateway = openGateway()
  await assert.rejects(gateway.request(server.url, limits()), failed('protocol', true))
})

it('a compressed answer that is cut short is a failure, not a shorter answer', async () => {
  const whole = zlib.gzipSync('some words that are worth compressing')
  await using server = await serve((_request, response) => {
    response.setHeader('content-encoding', 'gzip')
    response.end(whole.subarray(0, -12))
  })
  await using gateway = openGateway()
  const { body } = await gateway.request(server.url, limits())
  await assert.rejects(buffer(body), failed('protocol', true))
})

it('an encoding announced for an empty answer is an empty answer', async () => {
  await using server = await serve((request, response) => {
    response.setHeader('content-encoding', 'gzip')
    if (request.url === '/chunked') response.flushHeaders()
    if (request.url === '/none') response.statusCode = 204
    response.end()
  })
  await using gateway = openGateway()
  for (const path of ['', 'chunked', 'none']) {
    const { body } = await gateway.request(`${server.url}${path}`, limits())
    assert.equal(await text(body), '', path)
  }
  const head = await gateway.request(server.url, limits({ method: 'HEAD' }))
  assert.equal(await text(head.body), '')
})

it('HEAD may announce more than the cap: nothing follows', async () => {
  await using server = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 5_000_000 }).end()
  })
  await using gateway = openGateway()
  const response = await gateway.request(server.url, limits({ method: 'HEAD', maxBytes: 1 }))
  assert.equal(response.headers['content-length'], '5000000')
})

it('headers above 16 KiB fail, however they are split', async () => {
  const many = Array.from({ length: 2_000 }, (_, i) => `x-${i}: aaaaaaaaaa\r\n`).join('')
  for (const headers of [`x-long: ${'a'.repeat(20_000)}\r\n`, many]) {
    await using server = await serveText(`HTTP/1.1 200 OK\r\n${headers}content-length: 0\r\n\r\n`)
    await using gateway = openGateway()
    await assert.rejects(gateway.request(server.url, limits()), failed('too_large', true))
  }
})

it('an answer that is not HTTP is a protocol failure', async () => {
  await using server = await serveText('220 mail.example.com ESMTP\r\n')
  await using gateway = openGateway()
  await assert.rejects(gateway.request(server.url, limits()), failed('protocol', true))
})

it('an answer that smuggles two lengths is a protocol failure', async () => {
  await using server = await serveText(
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  )
  await using gateway = openGateway()
  await assert.rejects(gateway.request(server.url, limits()), failed('protocol', true))
})

it('interim answers are passed over', async () => {
  await using server = await serveText(
    'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
  )
  await using gateway = openGateway()
  const response = await gateway.request(server.url, limits())
  assert.equal(response.status, 200)
  assert.equal(await text(response.body), 'ok')
})

it('a server that never answers is a time-out after sending', async () => {
  await using server = await serve(() => {})
  await using gateway = openGateway()
  await assert.rejects(
    gateway.request(server.url, limits({ timeoutMs: 50 })),
    failed('timeout', true),
  )
})

it('a server that drips its headers is a time-out', async () => {
  await using server = await serveTcp((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ')
    const drip = setInterval(() => socket.write('a'), 5)
    socket.once('close', () => clearInterval(drip))
  })
  await using gateway = openGateway()
  await assert.rejects(
    gateway.request(server.url, limits({ timeoutMs: 100 })),
    failed('timeout', true),
  )
})

it('a server that drips its body is a time-out although bytes keep coming', async () => {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  await using server = await serve((_request, response) => {
    const drip = setInterval(() => response.write('a'), 5)
    response.once('close', () => {
      clearInterval(drip)
      resolve()
    })
  })
  await using gateway = openGateway()
  const { body } = await gateway.request(server.url, limits({ timeoutMs: 200 }))
  await assert.rejects(buffer(body), failed('timeout', true))
  await left
})

it('a body nobody reads is let go at the time-out, and fails quietly', async () => {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  await using server = await serve((_request, response) => {
    response.once('close', resolve)
    response.write(Buffer.alloc(MiB))
  })
  await using gateway = openGateway()
  const { body } = await gateway.request(
    server.url,
    limits({ timeoutMs: 2_000, maxBytes: 2 * MiB }),
  )
  await left
  await assert.rejects(buffer(body), failed('timeout', true))
})

it('a body that is destroyed unread frees the connection at once', async () => {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  await using server = await serve((_request, response) => {
    response.once('close', resolve)
    response.write('the first part')
  })
  await using gateway = openGateway()
  const { body } = await gateway.request(server.url, limits({ timeoutMs: 600_000 }))
  body.destroy()
  await left
})

it('a resolver that does not answer is a time-out with nothing sent', async () => {
  await using gateway = openGateway(() => new Promise(() => {}))
  await assert.rejects(
    gateway.request('http://slow.example.com/', limits({ timeoutMs: 50 })),
    failed('timeout', false),
  )
})

it('a signal ends the wait for a connection, with nothing sent, then or later', async () => {
  const seen: unknown[] = []
  await using server = await serve((request, response) => {
    seen.push(request.url)
    response.end()
  })
  const { promise: lookup, resolve } = Promise.withResolvers<string[]>()
  const { promise: asked, resolve: onAsked } = Promise.withResolvers<void>()
  await using gateway = openGateway(() => {
    onAsked()
    return lookup
  })
  const controller = new AbortController()
  const request = gateway.request(`${server.url}first`, limits({ signal: controller.signal }))
  const ended = assert.rejects(request, failed('aborted', false))
  await asked
  controller.abort()
  await ended
  resolve(['127.0.0.1'])
  // Its connection is made after the first one's, which by now has found nobody waiting.
  await gateway.request(`${server.url}second`, limits())
  assert.deepEqual(seen, ['/second'])
})

it('a signal ends the wait for an answer and the reading of one', async () => {
  await using server = await serve((request, response) => {
    if (request.url === '/body') response.write('a')
    arrived()
  })
  let arrived = () => {}
  await using gateway = openGateway()
  const waiting = new AbortController()
  arrived = () => waiting.abort()
  await assert.rejects(
    gateway.request(server.url, limits({ signal: waiting.signal })),
    failed('aborted', true),
  )
  arrived = () => {}
  const reading = new AbortController()
  const { body } = await gateway.request(`${server.url}body`, limits({ signal: reading.signal }))
  reading.abort()
  await assert.rejects(buffer(body), failed('aborted', true))
})

it('a signal that was aborted before lets nothing out', async () => {
  await using server = await serve((_request, response) => response.end())
  await using gateway = openGateway()
  await assert.rejects(
    gateway.request(server.url, limits({ signal: AbortSignal.abort() })),
    failed('aborted', false),
  )
  assert.equal(server.connections(), 0)
})

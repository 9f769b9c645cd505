// One route and nothing else: the smallest server that this framework allows.
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'

const app = fastify()
app.get('/', async () => 'ok')
await app.listen({ host: '127.0.0.1', port: 0 })
const { port } = app.server.address() as AddressInfo
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
